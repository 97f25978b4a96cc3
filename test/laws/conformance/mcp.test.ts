/** docs/mcp-conformance.md names tests that exist, and each scenario once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { hasTestIn } from '../../support/named-tests.ts';

const document = readFileSync(join(repositoryFolder, 'docs', 'mcp-conformance.md'), 'utf8');
const lines = document.split('\n').filter((line) => line.startsWith('| `'));
const rows = lines.flatMap((line) => {
  const [, file, name] = /\| `([^`]+\.test\.ts)`: (.+) \|$/.exec(line) ?? [];
  return file === undefined || name === undefined ? [] : [{ file, name }];
});

test('each test in the table of MCP exists, and those that are not there are found', () => {
  const hasTest = hasTestIn('');
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !hasTest(row))).toStrictEqual([]);
  expect(hasTest({ file: 'test/journeys/mcp.test.ts', name: 'signs somebody else in' })).toBe(false);
});

test('each scenario stands there once: two for authorization servers, 33 of clients', () => {
  const scenarios = lines.flatMap((line) => (line.split(' | ')[0] ?? '').match(/(?<=`)[a-z][\w/-]+(?=`)/g) ?? []);
  expect(new Set(scenarios).size).toBe(scenarios.length);
  expect([scenarios.length, scenarios.filter((name) => name.startsWith('auth/')).length]).toStrictEqual([35, 33]);
});
