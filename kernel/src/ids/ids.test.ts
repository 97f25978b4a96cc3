import { expect, test } from '@jest/globals';
import { validate, version } from 'uuid';
import { isId, newId } from './index.ts';

test('makes ids that are UUIDs of version 7, each above the one before, none twice', () => {
  const began = Date.now();
  const ids = Array.from({ length: 10_000 }, newId);
  const ended = Date.now();
  expect(ids.every((id) => isId(id) && validate(id) && version(id) === 7)).toBe(true);
  expect(ids).toStrictEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  expect(times.every((time) => time >= began && time <= ended)).toBe(true);
  // More than are drawn at once: no random part comes again.
  const randomParts = ids.slice(0, 300).map((id) => id.slice(-10));
  expect(new Set(randomParts).size).toBe(randomParts.length);
});
