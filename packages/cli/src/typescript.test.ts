import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { toTypeScript } from './typescript.ts';

const root = resolve(import.meta.dirname, '../../..');
const actions = new Map([
  ['invoice', ['read', 'pay', 'read']],
  ['Role', ['Query']],
  ['empty', []],
  ['a "quoted" */ slug', ['`$'.concat('{x}`'), "it's"]],
]);

/** Each line below `@ts-expect-error` must not compile, and every other must. */
const use = `
import { createClient } from '@tessera/client';
import { createAuthorizer, type Transport } from '${root}/packages/authorizer/src/index.ts';
import type { Authorized, Asked } from '${root}/packages/react/src/decisions.ts';
import { permission, typed, type Permission, type PermissionScope, type Typed } from './tessera.ts';

const tessera = typed(createClient({ baseUrl: 'https://iam.example.com' }));
const scope = { tenant: 'organization', id: 'x' } as const;
tessera.isAuthorized({ scope, permission: { resource: 'invoice', action: 'pay' } }).then(({ authorized }) => authorized);
// @ts-expect-error an action of no resource
tessera.isAuthorized({ permission: { resource: 'invoice', action: 'fly' } });
// @ts-expect-error an action of another resource
tessera.isAuthorized({ permission: { resource: 'Role', action: 'read' } });
// @ts-expect-error no resource
tessera.isAuthorized({ permission: { resource: 'Invoice', action: 'read' } });
// @ts-expect-error nothing can be done to it
tessera.isAuthorized({ permission: { resource: 'empty', action: 'read' } });
tessera.isAuthorizedMany({ checks: [{ permission: permission('invoice', 'read') }], scope });
// @ts-expect-error one of many is wrong
tessera.isAuthorizedMany({ checks: [{ permission: { resource: 'invoice', action: 'fly' } }] });
// @ts-expect-error the rest of the input is checked as before
tessera.isAuthorized({ permission: { resource: 'invoice', action: 'pay' }, scope: { tenant: 'galaxy', id: 'x' } });
for await (const { name } of tessera.listRoles({ scope })) name.trim();

const authorizer = typed(createAuthorizer({} as Transport));
authorizer.isAuthorized({ userToken: '', resource: 'invoice', action: 'read', target: { amount: 1 } });
authorizer.decideMany([{ userToken: '', resource: 'Role', action: 'Query' }]);
// @ts-expect-error an action of another resource
authorizer.isAuthorized({ userToken: '', resource: 'invoice', action: 'Query' });
// @ts-expect-error one of many is wrong
authorizer.decideMany([{ userToken: '', resource: 'Role', action: 'read' }]);
// @ts-expect-error a question has an action
authorizer.explain({ userToken: '', resource: 'invoice' });

declare const useAuthorized: (asked: Asked) => Authorized;
const useMay = typed(useAuthorized);
useMay({ resource: 'invoice', action: 'pay', context: { amount: 1 } }).isAuthorized;
// @ts-expect-error an action of no resource
useMay({ resource: 'invoice', action: 'fly' });
// @ts-expect-error an action of another resource
permission('Role', 'pay');
const scopes: PermissionScope[] = ['invoice:read', 'Role:Query'];
// @ts-expect-error no scope
const wrong: PermissionScope = 'invoice:Query';
export const kept: [Permission, Typed<typeof authorizer>, unknown] = [permission('invoice', 'pay'), authorizer, [scopes, wrong]];
`;

test('right uses compile, and a wrong resource or action does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-types-'));
  try {
    writeFileSync(join(folder, 'tessera.ts'), toTypeScript(actions, 'organizationProject:a:b'));
    writeFileSync(join(folder, 'use.ts'), use);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      skipLibCheck: true,

      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable', 'esnext.error'],
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { '@tessera/client': [join(root, 'packages/client/src/index.ts')] },
    };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    expect(compile(folder)).toBe('');
    // Without the types of the project the same program says how many of its lines are wrong.
    writeFileSync(join(folder, 'use.ts'), use.replaceAll(/^\/\/ @ts-expect-error.*\n/gm, ''));
    expect(compile(folder).match(/error TS/g)).toHaveLength((use.match(/@ts-expect-error/g) ?? []).length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function compile(folder: string): string {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
  } catch (error) {
    return String((error as { stdout: unknown }).stdout);
  }
}

test('the same model gives the same text, whatever the order of the server', () => {
  const other = new Map([...actions].toReversed().map(([slug, names]) => [slug, names.toReversed()] as const));
  expect(toTypeScript(other, 'x')).toBe(toTypeScript(actions, 'x'));
  expect(toTypeScript(actions, 'a\n*/ evil()')).not.toContain('\n*/ evil');
});
