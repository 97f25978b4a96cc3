import { argon2, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import { hashAlgorithms, type ImportedHash, readImportedHash } from '../domain/imported-hash.ts';

/** A hash of another system is stored behind this word, so that it never looks like one of ours. */
const mark = 'imported:';

export function markImported(hash: string): string {
  return mark + hash;
}

/** The hash as it was imported; undefined for one of ours. */
export function importedHashOf(stored: string): string | undefined {
  return stored.startsWith(mark) ? stored.slice(mark.length) : undefined;
}

const [deriveArgon2, deriveScrypt, derivePbkdf2] = [
  promisify(argon2),
  promisify<string, Buffer, number, object, Buffer>(scrypt),
  promisify(pbkdf2),
];

/**
 * Whether the password made this hash. It is compared as it was sent: other systems do not
 * normalize it.
 */
export async function matchesImported(password: string, text: string): Promise<boolean> {
  // The import accepted it, so one algorithm knows its form and allows its costs.
  const [hash] = hashAlgorithms.flatMap((algorithm) => {
    const reading = readImportedHash(algorithm, text);
    return 'fault' in reading ? [] : [reading];
  });
  if (hash === undefined) throw new Error('an imported hash has no form and costs that are accepted');
  if (hash.algorithm === 'bcrypt') return bcrypt.compare(password, hash.text);
  return timingSafeEqual(await derive(password, hash), hash.digest);
}

function derive(password: string, hash: Exclude<ImportedHash, { algorithm: 'bcrypt' }>): Promise<Buffer> {
  const { salt, digest } = hash;
  switch (hash.algorithm) {
    case 'argon2': {
      const costs = { memory: hash.memoryKib, passes: hash.passes, parallelism: hash.lanes };
      return deriveArgon2(hash.variant, { message: password, nonce: salt, tagLength: digest.length, ...costs });
    }
    case 'scrypt': {
      const { n, r, p } = hash;
      return deriveScrypt(password, salt, digest.length, { N: n, r, p, maxmem: 128 * n * r + 128 * r * p + 1024 * 1024 });
    }
    case 'pbkdf2':
      return derivePbkdf2(password, salt, hash.iterations, digest.length, hash.function);
  }
}
