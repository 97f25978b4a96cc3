import { expect, test } from '@jest/globals';
import { conflictOf, resolve, restore } from './merge.ts';

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

test('a draft that was left keeps what was typed and shows what others changed meanwhile', () => {
  const now = { ...before, description: 'Theirs', groupIds: ['a', 'new'] };
  expect(restore({ values: { ...before, name: 'Mine' }, before, at: 7 }, now)).toStrictEqual({
    values: { ...now, name: 'Mine' },
    at: 7,
    conflict: undefined,
  });
});

test('a field that was typed and changed by others meanwhile is a conflict, and no other field is', () => {
  const now = { ...before, name: 'Theirs', groupIds: ['a', 'new'] };
  const restored = restore({ values: { ...before, name: 'Mine' }, before, at: 7 }, now);
  expect(restored?.values).toStrictEqual({ ...now, name: 'Mine' });
  expect(restored?.conflict?.fields).toStrictEqual(['name']);
});

test('a field that is new since the draft was left shows what stands now', () => {
  const now = { ...before, extra: ['b'] };
  expect(restore<object>({ values: { ...before, name: 'Mine' }, before, at: 7 }, now)?.values).toStrictEqual({ ...now, name: 'Mine' });
});

test('a draft in which nothing was changed is none', () => {
  expect(restore({ values: before, before, at: 7 }, { ...before, name: 'Theirs' })).toBeUndefined();
  expect(restore({}, before)).toBeUndefined();
});
