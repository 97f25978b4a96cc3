import { describe, expect, test } from '@jest/globals';
import { type HashAlgorithm, readImportedHash } from './imported-hash.ts';

const salt = 'c29tZXNhbHRzb21lc2FsdA';
const digest = 'RdescudvJCsgt3ub+b4dWRWJTmaaJObG+XdF8fGvPQU';
const bcryptRest = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

function faultOf(algorithm: HashAlgorithm, text: string): string | undefined {
  const hash = readImportedHash(algorithm, text);
  return 'fault' in hash ? hash.fault : undefined;
}

describe('a hash of another system', () => {
  test.each<[HashAlgorithm, string]>([
    ['bcrypt', `$2a$10$${bcryptRest}`],
    ['bcrypt', `$2b$04$${bcryptRest}`],
    ['bcrypt', `$2y$14$${bcryptRest}`],
    ['argon2', `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${digest}`],
    ['argon2', `$argon2i$v=19$m=4096,t=3,p=1$${salt}$${digest}`],
    ['argon2', `$argon2d$v=19$m=102400,t=2,p=8$${salt}$${digest}`],
    ['scrypt', `$scrypt$ln=17,r=8,p=1$${salt}$${digest}`],
    ['pbkdf2', `$pbkdf2-sha256$29000$${salt}$${digest.replace('+', '.')}`],
    ['pbkdf2', `$pbkdf2-sha512$i=210000$${salt}$${digest}`],
  ])('of %s is read: %s', (algorithm, text) => expect(faultOf(algorithm, text)).toBeUndefined());

  test.each<[string, HashAlgorithm, string]>([
    ['4 GiB of memory', 'argon2', `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${digest}`],
    ['many passes', 'argon2', `$argon2id$v=19$m=131072,t=5,p=1$${salt}$${digest}`],
    ['no pass', 'argon2', `$argon2id$v=19$m=65536,t=0,p=1$${salt}$${digest}`],
    ['many lanes', 'argon2', `$argon2id$v=19$m=65536,t=1,p=64$${salt}$${digest}`],
    ['less memory than lanes need', 'argon2', `$argon2id$v=19$m=8,t=1,p=4$${salt}$${digest}`],
    ['a bcrypt cost of 15', 'bcrypt', `$2b$15$${bcryptRest}`],
    ['a bcrypt cost of 3', 'bcrypt', `$2b$03$${bcryptRest}`],
    ['scrypt above 128 MiB', 'scrypt', `$scrypt$ln=18,r=8,p=1$${salt}$${digest}`],
    ['scrypt with many lanes', 'scrypt', `$scrypt$ln=14,r=8,p=64$${salt}$${digest}`],
    ['scrypt with a huge block', 'scrypt', `$scrypt$ln=99,r=999999,p=1$${salt}$${digest}`],
    ['no lane', 'scrypt', `$scrypt$ln=14,r=8,p=0$${salt}$${digest}`],
    ['two million iterations and more', 'pbkdf2', `$pbkdf2-sha256$2000001$${salt}$${digest}`],
    ['no iteration', 'pbkdf2', `$pbkdf2-sha256$0$${salt}$${digest}`],
  ])('with %s is refused for its costs', (_what, algorithm, text) => expect(faultOf(algorithm, text)).toMatch(/^has costs that/));

  test.each<[string, HashAlgorithm, string]>([
    ['another algorithm', 'bcrypt', `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${digest}`],
    ['the bcrypt with the sign bug', 'bcrypt', `$2x$10$${bcryptRest}`],
    ['an earlier argon2', 'argon2', `$argon2id$v=16$m=65536,t=3,p=4$${salt}$${digest}`],
    ['argon2 with a key', 'argon2', `$argon2id$v=19$m=65536,t=3,p=4,keyid=AAAA$${salt}$${digest}`],
    ['md5', 'pbkdf2', `$pbkdf2-md5$29000$${salt}$${digest}`],
    ['a plain text', 'pbkdf2', 'hunter2'],
    ['a line break behind it', 'bcrypt', `$2b$10$${bcryptRest}\n`],
    ['a digest that can be guessed', 'pbkdf2', `$pbkdf2-sha256$29000$${salt}$AAAA`],
    ['a short salt', 'argon2', `$argon2id$v=19$m=65536,t=3,p=4$AAAA$${digest}`],
    ['a salt without end', 'pbkdf2', `$pbkdf2-sha256$29000$${'A'.repeat(300)}$${digest}`],
  ])('is refused: %s', (_what, algorithm, text) => expect(faultOf(algorithm, text)).toBeDefined());

  test('of no kind repeats a value of the hash in what is wrong with it', () => {
    expect(faultOf('pbkdf2', 'hunter2')).not.toContain('hunter2');
    expect(faultOf('argon2', `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${digest}`)).not.toContain(digest);
  });
});
