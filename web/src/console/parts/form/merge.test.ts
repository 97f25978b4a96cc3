import { expect, test } from '@jest/globals';
import { conflictOf, resolve } from './merge.ts';

const before = { name: 'Old', description: 'Same', groupIds: ['a'] };
const theirs = { name: 'Theirs', description: 'Same', groupIds: ['a', 'b'] };
const mine = { name: 'Mine', description: 'Typed', groupIds: ['a'] };

test('a conflict names what the other changed, and no field that is equal by now', () => {
  expect(conflictOf(before, theirs, mine).fields).toStrictEqual(['name', 'groupIds']);
  expect(conflictOf(before, { ...before, name: 'Mine' }, mine).fields).toStrictEqual([]);
});

test('mine keeps what was typed and takes over what was left alone', () => {
  expect(resolve(conflictOf(before, theirs, mine), 'mine')).toStrictEqual({ name: 'Mine', description: 'Typed', groupIds: ['a', 'b'] });
});

test('theirs takes over what they changed, and keeps the rest of what was typed', () => {
  expect(resolve(conflictOf(before, theirs, mine), 'theirs')).toStrictEqual({
    name: 'Theirs',
    description: 'Typed',
    groupIds: ['a', 'b'],
  });
});
