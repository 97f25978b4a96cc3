import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';

function read(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; they are the first. */
const sections = `1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3
  6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11
  10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3
  15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2`;
const requirements = sections.split(/\s+/).flatMap((section) => {
  const [name = '', count = '0'] = section.split(':');
  return Array.from({ length: Number(count) }, (_, index) => `V${name}.${index + 1}`);
});

interface Row {
  readonly id: string;
  readonly state: string;
  readonly tests: readonly string[];
}

/** The table of docs/asvs.md. */
function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/^\| (V[\d.]+) \| [^|]+ \| ([^|]+) \| [^|]*\| ([^|]*)\|$/gm)].map(([, id = '', state = '', tests = '']) => ({
    id,
    state: state.trim().replaceAll('*', ''),
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }));
}

/** What is wrong with the table: numbers, states, and tests that do not exist or are not named. */
function faultsOf(rows: readonly Row[]): readonly string[] {
  const ids = rows.map(({ id }) => id);
  const states = ['met', 'partly', 'not met', 'operator', 'n/a'];
  return [
    ...requirements.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index || !requirements.includes(id)).map((id) => `${id} is unknown, or there twice`),
    ...rows.filter(({ state }) => !states.includes(state)).map(({ id, state }) => `${id} has the unknown state ${state}`),
    ...rows.filter(({ state, tests }) => state === 'met' && tests.length === 0).map(({ id }) => `${id} is called met without a test`),
    ...rows.flatMap(({ id, tests }) =>
      tests.filter((path) => !existsSync(join(repositoryFolder, path))).map((path) => `${id}: no ${path}`),
    ),
  ];
}

test('docs/asvs.md has every requirement of level 2 once, and each that is met has a test that exists', () => {
  expect(requirements).toHaveLength(253);
  expect(faultsOf(rowsOf(read('docs/asvs.md')))).toStrictEqual([]);
});

test('a row that is missing, unknown, unproven or wrong is found', () => {
  const good = requirements.map((id): Row => ({ id, state: 'n/a', tests: [] }));
  expect(faultsOf(good)).toStrictEqual([]);
  const [, ...withoutFirst] = good;
  expect(faultsOf(withoutFirst)).toStrictEqual(['V1.1.1 is missing']);
  const bad: Row[] = [
    { id: 'V1.1.1', state: 'met', tests: [] },
    { id: 'V1.1.1', state: 'fine', tests: ['test/none.test.ts'] },
  ];
  expect(faultsOf([...bad, ...withoutFirst])).toStrictEqual([
    'V1.1.1 is unknown, or there twice',
    'V1.1.1 has the unknown state fine',
    'V1.1.1 is called met without a test',
    'V1.1.1: no test/none.test.ts',
  ]);
});

test('the counts at the top of docs/asvs.md are those of its table', () => {
  const text = read('docs/asvs.md');
  const rows = rowsOf(text);
  for (const state of ['met', 'partly', 'not met', 'operator', 'n/a']) {
    const [, count] = new RegExp(`\\*\\*${state}\\*\\*[^:]*: (\\d+)`).exec(text) ?? [];
    expect(Number(count)).toStrictEqualFor(state, rows.filter((row) => row.state === state).length);
  }
});

test('docs/threat-model.md has STRIDE for each way of its diagram, and its tests exist', () => {
  const text = read('docs/threat-model.md');
  const numbered = new Set([...text.matchAll(/-- "(\d)/g)].map(([, number = '']) => number));
  const doors = [...text.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title);
  expect([...numbered].filter((number) => !doors.some((title) => title.includes(`${number}.`)))).toStrictEqual([]);
  const named = [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(repositoryFolder, path)))).toStrictEqual([]);
});

test('CHANGELOG.md begins with the version of package.json, after what is not released; every workspace has it', () => {
  const { version } = JSON.parse(read('package.json'));
  const versions = [...read('CHANGELOG.md').matchAll(/^## \[([^\]]+)\]/gm)].map(([, name]) => name);
  expect(versions.find((name) => name !== 'Unreleased')).toBe(version);
  const { packages } = JSON.parse(read('package-lock.json'));
  const own = Object.entries<{ name?: string; version?: string }>(packages).filter(
    ([path, { name }]) => !path.includes('node_modules') && name?.startsWith('@tessera/'),
  );
  expect(own.length).toBeGreaterThan(8);
  expect(own.filter(([, workspace]) => workspace.version !== version).map(([path]) => path)).toStrictEqual([]);
});
