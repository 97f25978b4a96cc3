import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, jest, test } from '@jest/globals';
import { colorsFor, createOutput } from './output.ts';

afterEach(() => void jest.restoreAllMocks());

test('colours are for a terminal alone, and none where the person wants none', () => {
  const isColoured = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv) => colorsFor(stream, env).red('x') !== 'x';
  expect(isColoured({ isTTY: true }, {})).toBe(true);
  for (const [stream, env] of [
    [{}, {}],
    [{ isTTY: false }, { CI: 'true', FORCE_COLOR: '1' }],
    [{ isTTY: true }, { NO_COLOR: '1' }],
    [{ isTTY: true }, { TERM: 'dumb' }],
  ] as const)
    expect(isColoured(stream, env)).toStrictEqualFor(JSON.stringify([stream, env]), false);
});

test('a table shows what is in a cell, and nothing in it moves the cursor', () => {
  let out = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const rows = [
    { name: 'evil\u001b[2J\r\n\u0007', roles: ['a'], other: 1 },
    { name: null, roles: [], other: 2 },
  ];
  createOutput(false).table(rows, ['name', 'roles'], 'None.');
  createOutput(false).table([], ['name'], 'None.');
  expect(stripVTControlCharacters(out)).toBe('NAME         ROLES\nevil [2J     ["a"]\n             []\nNone.\n');
  out = '';
  createOutput(true).table(rows, ['name'], 'None.');
  expect(JSON.parse(out)).toStrictEqual(rows);
});
