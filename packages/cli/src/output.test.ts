import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, jest, test } from '@jest/globals';
import { describe } from './commands/manifest.ts';
import { kinds } from './manifest/kinds.ts';
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

test('JSON has no control character that a terminal obeys, and says the same', () => {
  let out = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const value = { name: 'evil\u009b2J\u001b[2J\u007f' };
  createOutput(true).answer(value, '');
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(out)).toStrictEqual(value);
});

test('a name that another person gave is one line of a plan, and moves nothing in it', () => {
  const [kind] = kinds;
  if (kind === undefined) throw new Error('there are no kinds');
  const name = 'evil\u001b[1A\u001b[2K\n+ roles harmless\u009b2J';
  const line = stripVTControlCharacters(describe({ action: 'create', kind, name, entry: {} }));
  expect(line).toBe(`+ ${kind.name.slice(0, -1)} evil [1A [2K + roles harmless 2J`);
  let out = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  createOutput(false).note(`${name}\nnext`);
  expect(out).toBe('evil [1A [2K\n+ roles harmless 2J\nnext\n');
});
