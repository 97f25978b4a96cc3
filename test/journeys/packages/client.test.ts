import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { bundleClient, installClient, packageFolder } from '../../support/packages/installed-client.ts';
import { readmeExample } from '../../support/packages/unpack.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createOrganization, createPerson, PASSWORD } from '../../support/world.ts';

const mostBytes = 12_000;

test('@tessera/client, packed and installed in an empty folder, runs its example and is small in a bundle', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = installClient(cleanup);
  copyFileSync(join(packageFolder, 'example', 'journey.mjs'), join(folder, 'journey.mjs'));

  const stack = await openStack();
  const { url } = stack;
  const said = execFileSync(process.execPath, ['journey.mjs', url], { cwd: folder, encoding: 'utf8' });
  expect(said.replace(/since \S+/, 'since …').split('\n')).toStrictEqual([
    'Hello Ada, you have 1 account.',
    'Signed in since …',
    'GraphQL knows the same address.',
    expect.stringMatching(/^CONFLICT: /),
    'Now signed-out.',
    '',
  ]);

  // The example of the README compiles against the types that come with the package, and runs.
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const given = `const password: string = '${PASSWORD}';\nconst organizationId: string = '${organization.id}';\n`;
  const example = readmeExample('client', 'ts').replace('https://iam.example.com', url).replace('ada@example.com', owner.email);
  writeFileSync(join(folder, 'readme.ts'), given + example);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', '', '--ignoreConfig'];
  execFileSync(process.execPath, [join(repositoryFolder, 'node_modules/typescript/bin/tsc'), ...options, 'readme.ts'], { cwd: folder });
  const shown = execFileSync(process.execPath, ['readme.ts'], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
  expect(shown.slice(0, -1)).toStrictEqual(expect.arrayContaining(['Admin', 'Owner', 'Viewer']));
  expect(shown.at(-1)).toMatch(/^VALIDATION_ERROR name /);

  const assets = join(bundleClient(folder), 'assets');
  const bytes = brotliCompressSync(
    readdirSync(assets)
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join(''),
  ).length;
  expect(bytes).toBeLessThan(mostBytes);
  console.info(`@tessera/client: ${bytes} bytes compressed`);
});
