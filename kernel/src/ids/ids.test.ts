import assert from 'node:assert/strict';
import { it } from 'node:test';
import { validate, version } from 'uuid';
import { isId, newId } from './index.ts';

it('makes ids that are UUIDs of version 7, each above the one before, none twice', () => {
  const began = Date.now();
  const ids = Array.from({ length: 10_000 }, newId);
  const ended = Date.now();
  assert.ok(ids.every((id) => isId(id) && validate(id) && version(id) === 7));
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  assert.ok(times.every((time) => time >= began && time <= ended));
  // More than are drawn at once: no random part comes again.
  const randomParts = ids.slice(0, 300).map((id) => id.slice(-10));
  assert.equal(new Set(randomParts).size, randomParts.length);
});
