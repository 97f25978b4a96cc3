/** The findings of the last reviews have a row each, and the tests that the rows name exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';

function read(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}

/** The findings of each paper, as their rows are called. */
const findings: Readonly<Record<string, string>> = {
  'docs/security-review.md': `identity A1,identity A2,identity A3,identity A4,identity A5,identity A6,identity A7,identity A8,identity A9,identity A10,
    note 1,note 2,note 3,note 4,note 5,note 6,note 7,note 8,authority B1,authority B2,authority B3,wish 1,wish 2,F18,names C1`,
  'docs/reliability.md': `contract D1,contract D2,contract D3,contract D4,contract D5,contract D6,contract N1,contract N2,contract N3,contract N4,
    contract N5,contract N6,contract N7,contract N8,operation D1,operation D2,operation D3,operation D4,operation D5,operation D6,operation D7,
    operation D8,operation D9,operation D10,operation pages,speed 0,speed 1,speed 2,speed 3,pages B1,pages B2,pages B3,pages B4,pages C1,pages C6`,
};
const states = ['mended', 'partly', 'open', 'stays'];

interface Row {
  readonly id: string;
  readonly state: string;
  readonly tests: readonly (readonly [path: string, name: string])[];
}

/** The rows of the section "Findings, one by one": finding, what was wrong, state, tests. */
function rowsOf(text: string): readonly Row[] {
  const section = text.split('Findings, one by one\n')[1]?.split(/^#/m)[0] ?? '';
  return [...section.matchAll(/^\| ([^|]+) \| [^|]+ \| ([a-z]+)[^|]*\| ([^|]*)\|$/gm)].flatMap(([, id = '', state = '', tests = '']) =>
    id === 'Finding'
      ? []
      : [{ id, state, tests: [...tests.matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, path = '', name = '']) => [path, name] as const) }],
  );
}

function faultsOf(rows: readonly Row[], wanted: readonly string[]): readonly string[] {
  const ids = rows.map(({ id }) => id);
  return [
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index || !wanted.includes(id)).map((id) => `${id} is unknown, or there twice`),
    ...rows.filter(({ state }) => !states.includes(state)).map(({ id, state }) => `${id} has the unknown state ${state}`),
    ...rows.filter(({ state, tests }) => state === 'mended' && tests.length === 0).map(({ id }) => `${id} is called mended without a test`),
    ...rows.flatMap(({ id, tests }) =>
      tests.flatMap(([path, name]) => {
        if (!existsSync(join(repositoryFolder, path))) return [`${id}: no ${path}`];
        return read(path).includes(name) ? [] : [`${id}: no test “${name}” in ${path}`];
      }),
    ),
  ];
}

test.each(Object.entries(findings))('%s has each finding once, and each that is mended has a test that exists', (path, list) => {
  const wanted = list.split(',').map((id) => id.trim());
  expect(faultsOf(rowsOf(read(path)), wanted)).toStrictEqual([]);
});

test('a row that is missing, unknown, unproven or wrong is found', () => {
  // In pieces, because this file is searched for it.
  const absent = ['no', 'such', 'test'].join(' ');
  const text = `# Findings, one by one

| Finding | What was wrong | State | Test |
|---|---|---|---|
| A1 | a | mended | by hand |
| A2 | b | fine | \`test/none.test.ts\` “x” |
| A4 | c | partly: d | \`tools/check/findings.test.ts\` “${absent}” |
# Next
`;
  expect(faultsOf(rowsOf(text), ['A1', 'A2', 'A3'])).toStrictEqual([
    'A3 is missing',
    'A4 is unknown, or there twice',
    'A2 has the unknown state fine',
    'A1 is called mended without a test',
    'A2: no test/none.test.ts',
    `A4: no test “${absent}” in tools/check/findings.test.ts`,
  ]);
});
