import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { openStack } from '../system/stack.ts';
import { createPerson } from '../system/world.ts';

const packageFolder = join(repositoryFolder, 'packages', 'verifier');

/** Prints the type of a good token, and why a changed one is refused. */
const program = `
import { createVerifier } from '@tessera/verifier';
import '@tessera/verifier/fastify';
import '@tessera/verifier/express';
const [issuer, token] = process.argv.slice(2);
const verifier = createVerifier({ issuers: [issuer], audience: issuer, types: ['session'] });
console.log((await verifier.verify(token)).type);
await verifier.verify(token.slice(0, -8)).catch((error) => console.log(error.constructor.name));
`;

test('@tessera/verifier, packed and unpacked in an empty folder, verifies a token of the platform', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-verifier-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const packed = execFileSync('npm', ['pack', '--ignore-scripts=false', '--silent', '--pack-destination', folder], {
    cwd: packageFolder,
    encoding: 'utf8',
  });
  const installed = join(folder, 'node_modules', '@tessera', 'verifier');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.trim().split('\n').at(-1) ?? ''), '-C', installed, '--strip-components=1']);
  symlinkSync(join(repositoryFolder, 'node_modules', 'jose'), join(folder, 'node_modules', 'jose'));
  writeFileSync(join(folder, 'program.mjs'), program);

  const stack = await openStack();
  const { token } = await createPerson(stack);
  const said = execFileSync(process.execPath, ['program.mjs', stack.url, token], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('session\nTokenRefused\n');
});
