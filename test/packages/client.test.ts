import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { openStack } from '../system/stack.ts';
import { bundleClient, installClient, packageFolder } from './installed-client.ts';
import { readmeExample } from './unpack.ts';

const mostBytes = 12_000;

test('@tessera/client, packed and installed in an empty folder, runs its example and is small in a bundle', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = installClient(cleanup);
  copyFileSync(join(packageFolder, 'example', 'journey.mjs'), join(folder, 'journey.mjs'));

  const { url } = await openStack();
  const said = execFileSync(process.execPath, ['journey.mjs', url], { cwd: folder, encoding: 'utf8' });
  expect(said.replace(/since \S+/, 'since …').split('\n')).toStrictEqual([
    'Hello Ada, you have 1 account.',
    'Signed in since …',
    'GraphQL knows the same address.',
    expect.stringMatching(/^CONFLICT: /),
    'Now signed-out.',
    '',
  ]);

  // The example of the README compiles against the types that come with the package.
  const declared = 'declare const password: string;\ndeclare const organizationId: string;\n';
  writeFileSync(join(folder, 'readme.ts'), declared + readmeExample('client', 'ts'));
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', '', '--ignoreConfig'];
  execFileSync(process.execPath, [join(repositoryFolder, 'node_modules/typescript/bin/tsc'), ...options, 'readme.ts'], { cwd: folder });

  const assets = join(bundleClient(folder), 'assets');
  const bytes = brotliCompressSync(
    readdirSync(assets)
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join(''),
  ).length;
  expect(bytes).toBeLessThan(mostBytes);
  console.info(`@tessera/client: ${bytes} bytes compressed`);
});
