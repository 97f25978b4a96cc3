import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';

/** For each rule the smallest tree that breaks it: file → its imports. */
const breaches: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'services-never-import-each-other': { 'services/rbac/src/app.ts': '../../keys/src/app.ts', 'services/keys/src/app.ts': '' },
  'kernel-knows-no-service': { 'kernel/src/ids/index.ts': '../../../services/keys/src/app.ts', 'services/keys/src/app.ts': '' },
  'kernel-knows-no-transport': { 'kernel/src/ids/index.ts': '../../../server/src/rest/index.ts', 'server/src/rest/index.ts': '' },
  'product-does-not-import-tools': { 'services/keys/src/app.ts': '../../../tools/stack/stack.ts', 'tools/stack/stack.ts': '' },
  'domain-is-pure': { 'services/keys/src/domain/key.ts': '../storage/keys.ts', 'services/keys/src/storage/keys.ts': '' },
  'operations-do-not-know-their-transports': {
    'services/keys/src/operations/sign.ts': '../transport/rest.ts',
    'services/keys/src/transport/rest.ts': '',
  },
  'storage-is-at-the-bottom': { 'services/keys/src/storage/keys.ts': '../operations/sign.ts', 'services/keys/src/operations/sign.ts': '' },
  'sessions-are-opened-by-sign-in': {
    'services/identity/src/operations/login.ts': '../sign-in/session-issuer.ts',
    'services/identity/src/sign-in/session-issuer.ts': '',
  },
  'rooms-are-entered-by-the-door': {
    'server/src/rest/index.ts': '../../../kernel/src/errors/render.ts',
    'kernel/src/errors/render.ts': '',
  },
  'elastic-license-behind-one-folder': {
    'server/src/graphql/index.ts': '@apollo/gateway',
    'node_modules/@apollo/gateway/package.json': '{ "name": "@apollo/gateway", "main": "index.js" }',
    'node_modules/@apollo/gateway/index.js': '',
  },
  'rules-are-pure': { 'packages/rules/src/password-policy.ts': '../../../kernel/src/ids/index.ts', 'kernel/src/ids/index.ts': '' },
  'imports-resolve': { 'kernel/src/ids/index.ts': './nowhere.ts' },
};

const configuration = join(repositoryFolder, '.dependency-cruiser.mjs');
const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function cruise(name: string, files: Readonly<Record<string, string>>): string {
  const tree = join(folder, name);
  for (const [path, imported] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    const source =
      imported === '' || path.endsWith('.json') ? imported : `import type { Thing } from '${imported}';\nexport type Other = Thing;\n`;
    writeFileSync(join(tree, path), source);
  }
  const roots = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))].filter(
    (root) => root !== 'node_modules' && root !== 'tools',
  );
  const program = join(repositoryFolder, 'node_modules', '.bin', 'depcruise');
  const args = [program, '--config', configuration, '--output-type', 'err', ...roots];
  return spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } }).stdout;
}

test('every boundary has a breach that it catches, of type imports too', () => {
  const rules = readFileSync(configuration, 'utf8').matchAll(/^ {6}name: '([^']+)'/gm);
  expect([...rules].map(([, name]) => name).sort()).toStrictEqual(Object.keys(breaches).sort());
});

for (const [name, files] of Object.entries(breaches))
  test(`the boundary ${name} bites`, () => expect(cruise(name, files)).toMatch(new RegExp(`error ${name}: `)));
