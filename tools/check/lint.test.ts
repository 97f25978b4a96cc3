import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What `npm run check` would say of a file. */
function lint(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  const program = join(repositoryFolder, 'node_modules', '.bin', 'oxlint');
  const args = [program, '--config', join(repositoryFolder, '.oxlintrc.json'), '--format=unix', file];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

const literals = {
  'an object into an object': 'export const call = (name: string) => ({ ...{ name }, tenant: 1 });',
  'an object into what a call takes':
    'export const call = (take: (row: object) => void, name: string) => take({ ...{ name }, tenant: 1 });',
  'an array into an array': 'export const list = (first: string) => [...[first], 2];',
};

for (const [name, source] of Object.entries(literals))
  test(`a literal is not spread into a literal, where a misspelt name would pass: ${name}`, () => {
    expect(lint('literal.ts', `${source}\n`)).toContain('no-useless-spread');
  });

test('a value, and a literal on a condition, may be spread', () => {
  const source = 'export const call = (row: object, name?: string) => ({ ...row, ...(name === undefined ? {} : { name }) });\n';
  expect(lint('value.ts', source)).toBe('');
});
