import { expect, test } from '@jest/globals';
import { initialsOf } from './initials-of.ts';

test.each([
  ['Ada Lovelace', 'AL'],
  ['Grace Brewster Murray Hopper', 'GH'],
  ['plato', 'P'],
  ['  José   Ñandú ', 'JÑ'],
  ['e\u0301mile zola', 'E\u0301Z'],
  ['O’Brien (Sales)', 'O'],
  ['李 小龍', '李小'],
  ['ada@example.com', 'A'],
  ['42 🦊', '4'],
  ['🦊', ''],
  ['', ''],
])('%j has the initials %j: whole letters of its first and last word', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
