import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compressedBytes, unpackPackages } from '../../support/packages/unpack.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson } from '../../support/world.ts';

const mostBytes = 9_000;

/** Prints the type of a good token, and why a changed one is refused. */
const program = `
import { createVerifier } from '@tessera/verifier';
import '@tessera/verifier/fastify';
import '@tessera/verifier/express';
import '@tessera/verifier/hono';
import '@tessera/verifier/web';
const [issuer, token] = process.argv.slice(2);
const verifier = createVerifier({ issuers: [issuer], audience: issuer, types: ['session'] });
console.log((await verifier.verify(token)).type);
await verifier.verify(token.slice(0, -8)).catch((error) => console.log(error.constructor.name));
`;

test('@tessera/verifier, packed and unpacked in an empty folder, verifies a token of the platform', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = unpackPackages(cleanup, ['verifier']);
  writeFileSync(join(folder, 'program.mjs'), program);

  const stack = await openStack();
  const { token } = await createPerson(stack);
  const said = execFileSync(process.execPath, ['program.mjs', stack.url, token], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('session\nTokenRefused\n');
  expect(compressedBytes(folder, 'verifier')).toBeLessThan(mostBytes);
});
