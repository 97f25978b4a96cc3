import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findRoomFaults } from './rooms.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is found in a tree of these files: file → its import, and the form of it. */
function faultsOf(files: Readonly<Record<string, string>>, form = "import type { Thing } from '%';"): readonly string[] {
  const root = mkdtempSync(join(folder, 'tree-'));
  for (const [path, imported] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), imported === '' ? '' : `${form.replace('%', imported)}\n`);
  }
  return findRoomFaults(root);
}

test('the rooms of the repository have an order', () => expect(findRoomFaults()).toStrictEqual([]));

const places = [
  'kernel/src',
  'server/src',
  'services/rbac/src',
  'services/identity/src/sign-in',
  'packages/client/src',
  'web/src',
  'web/src/console',
  'web/src/console/parts',
  'web/src/console/screens',
  'tools',
  'test',
];
test.each(places)('two rooms of %s that import each other by different files are refused', (house) => {
  const [fault, ...more] = faultsOf({
    [`${house}/one/deep/a.ts`]: '../../two/b.ts',
    [`${house}/two/b.ts`]: '',
    [`${house}/two/deep/c.ts`]: '../../one/d.ts',
    [`${house}/one/d.ts`]: '',
  });
  expect(fault).toContain(`${house}: one, two import each other`);
  expect(more).toStrictEqual([]);
});

test('so are a room and a file beside it, and a circle of three', () => {
  expect(faultsOf({ 'tools/one/a.ts': '../deps.ts', 'tools/deps.ts': './one/b.ts', 'tools/one/b.ts': '' })).toHaveLength(1);
  expect(faultsOf({ 'tools/one/a.ts': '../two/a.ts', 'tools/two/a.ts': '../three/a.ts', 'tools/three/a.ts': '../one/a.ts' })).toHaveLength(
    1,
  );
});

test.each(["import '%';", "export * from '%';", "const { a } = await import('%');"])('an import of the form %s counts', (form) =>
  expect(faultsOf({ 'tools/one/a.ts': '../two/b.ts', 'tools/two/b.ts': '../one/a.ts' }, form)).toHaveLength(1),
);

test('an import in one direction is none, nor is one of a test', () => {
  expect(faultsOf({ 'tools/one/a.ts': '../two/b.ts', 'tools/two/b.ts': '' })).toStrictEqual([]);
  expect(faultsOf({ 'tools/one/a.ts': '../two/b.ts', 'tools/two/b.ts': '', 'tools/two/b.test.ts': '../one/a.ts' })).toStrictEqual([]);
});

const order = ['ground', 'mail', 'people', 'apps', 'sign-in', 'oauth'];
const pairs = order.flatMap((lower, floor) => order.slice(floor + 1).map((higher) => [lower, higher] as const));
test.each(pairs)('in identity %s does not import %s, which may import it', (lower, higher) => {
  const at = (room: string) => `services/identity/src/${room}/a.ts`;
  expect(faultsOf({ [at(lower)]: `../${higher}/a.ts`, [at(higher)]: '' })).toStrictEqual([
    `${at(lower)} → ${at(higher)}: the order is ${order.join(' < ')}`,
  ]);
  expect(faultsOf({ [at(higher)]: `../${lower}/a.ts`, [at(lower)]: '' })).toStrictEqual([]);
});

test('no room of identity imports what joins the rooms', () =>
  expect(faultsOf({ 'services/identity/src/oauth/a.ts': '../compose.ts', 'services/identity/src/compose.ts': '' })).toHaveLength(1));

test.each(['../../services/rbac/src/domain/condition.ts', '@tessera/rbac/domain'])('pages do not import a service by %s', (imported) => {
  const [fault] = faultsOf({ 'web/src/page.tsx': imported, 'services/rbac/src/domain/condition.ts': '' });
  expect(fault).toMatch(/^web\/src\/page\.tsx → services\/rbac\/.*packages\/rules$/);
});
