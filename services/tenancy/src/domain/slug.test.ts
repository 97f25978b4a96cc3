import { expect, test } from '@jest/globals';
import { deriveSlug, slugCandidates } from './slug.ts';

test('deriveSlug keeps ASCII letters and digits only', () => {
  expect(deriveSlug('Größe & Söhne', 'organization')).toBe('grosse-sohne');
  expect(deriveSlug('  --Acme--  ', 'organization')).toBe('acme');
  expect(deriveSlug('日本', 'organization')).toBe('organization');
  expect(deriveSlug('x'.repeat(300), 'organization')).toHaveLength(60);
});

test('slugCandidates adds numbers and ends with the unique part of the id', () => {
  const id = '0193a000-0000-7000-8000-00000000abcd';
  expect([...slugCandidates('acme', id)]).toStrictEqual(['acme', 'acme-2', 'acme-3', 'acme-4', 'acme-5', 'acme-00000000abcd']);
});
