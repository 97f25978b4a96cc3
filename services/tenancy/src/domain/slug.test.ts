import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveSlug, slugCandidates } from './slug.ts';

test('deriveSlug keeps ASCII letters and digits only', () => {
  assert.equal(deriveSlug('Größe & Söhne', 'organization'), 'grosse-sohne');
  assert.equal(deriveSlug('  --Acme--  ', 'organization'), 'acme');
  assert.equal(deriveSlug('日本', 'organization'), 'organization');
  assert.equal(deriveSlug('x'.repeat(300), 'organization').length, 60);
});

test('slugCandidates adds numbers and ends with the unique part of the id', () => {
  const id = '0193a000-0000-7000-8000-00000000abcd';
  assert.deepEqual([...slugCandidates('acme', id)], ['acme', 'acme-2', 'acme-3', 'acme-4', 'acme-5', 'acme-00000000abcd']);
});
