/** docs/scim-conformance.md names tests that exist, or says that a clause is not served. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { hasTestIn } from '../../support/named-tests.ts';

const lines = readFileSync(join(repositoryFolder, 'docs', 'scim-conformance.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line));
const hasTest = hasTestIn('services/tenancy/src/transport/scim');

test('each clause of SCIM has a test that exists, or says that it is not served', () => {
  const wrong = lines.filter((line) => {
    const [, answer = ''] = /^\|(?:[^|]*\|){2} (.+) \|$/.exec(line) ?? [];
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(answer) ?? [];
    return !answer.startsWith('not served') && !hasTest({ file, name });
  });
  expect(wrong).toStrictEqual([]);
  expect(lines.length).toBeGreaterThan(30);
  expect(hasTest({ file: 'users.test.ts', name: 'a test that does not exist' })).toBe(false);
});
