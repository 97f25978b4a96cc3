import { expect, test } from '@jest/globals';
import { checkHash } from './person.ts';

const bcrypt = `$2b$10$${'a'.repeat(53)}`;

test('a dry run refuses a hash that the server refuses, by the same rules, and never shows it', () => {
  const judged = (hashAlgorithm: string, passwordHash: string) => {
    const result = checkHash({ email: 'ada@example.com', hashAlgorithm, passwordHash });
    return 'person' in result ? 'can be sent' : result.fault;
  };
  expect(judged('bcrypt', bcrypt)).toBe('can be sent');
  expect(checkHash({ email: 'ada@example.com' })).toHaveProperty('person');
  for (const [algorithm, hash, reason] of [
    ['md5', '5f4dcc3b5aa765d61d8327deb882cf99', 'hashAlgorithm must be one of bcrypt, argon2, scrypt, pbkdf2'],
    ['bcrypt', bcrypt.slice(0, -1), 'passwordHash is no bcrypt hash in a form that is known'],
    ['argon2', bcrypt, 'passwordHash is no argon2 hash in a form that is known'],
    ['bcrypt', bcrypt.replace('$10$', '$20$'), 'passwordHash has costs that are not accepted: cost 20, from 4 to 14'],
  ] as const)
    expect(judged(algorithm, hash)).toMatchObject({ status: 'invalid', reason, email: 'ada@example.com' });
});
