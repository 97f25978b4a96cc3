/**
 * Password hashes of other systems, in the text forms that these export. They are compared at the
 * first sign-in only, by their own algorithm, and replaced then. Their costs are bounded: the one
 * who signs in makes this installation pay them.
 */
export const hashAlgorithms = ['bcrypt', 'argon2', 'scrypt', 'pbkdf2'] as const;
export type HashAlgorithm = (typeof hashAlgorithms)[number];

type Salted = { readonly salt: Buffer; readonly digest: Buffer };
export type ImportedHash =
  | { readonly algorithm: 'bcrypt'; readonly text: string }
  | (Salted & {
      readonly algorithm: 'argon2';
      readonly variant: 'argon2id' | 'argon2i' | 'argon2d';
      readonly memoryKib: number;
      readonly passes: number;
      readonly lanes: number;
    })
  | (Salted & { readonly algorithm: 'scrypt'; readonly n: number; readonly r: number; readonly p: number })
  | (Salted & { readonly algorithm: 'pbkdf2'; readonly function: string; readonly iterations: number });

/** What is wrong with a hash, for the operator who imports it. */
export type HashFault = { readonly fault: string };

const mostBcryptCost = 14;
const mostArgonKib = 128 * 1024;
/** Memory times passes: about half a second of one core. */
const mostArgonWork = 512 * 1024;
const mostLanes = 16;
const mostScryptBytes = 128 * 1024 * 1024;
/** 128 · N · r · p: what is read and written. */
const mostScryptWork = 512 * 1024 * 1024;
const mostIterations = 2_000_000;
const [leastSalt, mostSalt] = [8, 128];
/** A shorter digest is found by guessing. */
const [leastDigest, mostDigest] = [16, 128];

const forms = {
  bcrypt: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
  argon2: /^\$(argon2id|argon2i|argon2d)\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/,
  scrypt: /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,6}),p=(\d{1,6})\$([A-Za-z0-9+/.]+)\$([A-Za-z0-9+/.]+)$/,
  pbkdf2: /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?(\d{1,10})\$([A-Za-z0-9+/.]+={0,2})\$([A-Za-z0-9+/.]+={0,2})$/,
} as const satisfies Record<HashAlgorithm, RegExp>;

export function readImportedHash(algorithm: HashAlgorithm, text: string): ImportedHash | HashFault {
  const parts = forms[algorithm].exec(text);
  return parts === null ? { fault: `is no ${algorithm} hash in a form that is known` } : readers[algorithm](text, parts.slice(1));
}

const readers: Readonly<Record<HashAlgorithm, (text: string, parts: readonly string[]) => ImportedHash | HashFault>> = {
  bcrypt: (text, [cost = '']) => {
    if (Number(cost) < 4 || Number(cost) > mostBcryptCost) return tooCostly(`cost ${Number(cost)}, from 4 to ${mostBcryptCost}`);
    // $2y$ is what PHP calls the same algorithm.
    return { algorithm: 'bcrypt', text: text.replace(/^\$2y\$/, '$2b$') };
  },
  argon2: (_text, [variant = '', memory, time, parallelism, salt = '', digest = '']) => {
    const [memoryKib, passes, lanes] = [Number(memory), Number(time), Number(parallelism)];
    if (lanes < 1 || lanes > mostLanes) return tooCostly(`p=${lanes}, from 1 to ${mostLanes}`);
    if (memoryKib < 8 * lanes || memoryKib > mostArgonKib) return tooCostly(`m=${memoryKib}, from ${8 * lanes} to ${mostArgonKib}`);
    if (passes < 1 || memoryKib * passes > mostArgonWork) return tooCostly(`m times t is ${memoryKib * passes}, at most ${mostArgonWork}`);
    const known = variant === 'argon2i' || variant === 'argon2d' ? variant : 'argon2id';
    return withSalt(salt, digest, { algorithm: 'argon2', variant: known, memoryKib, passes, lanes });
  },
  scrypt: (_text, [log = '', block, parallel, salt = '', digest = '']) => {
    const [n, r, p] = [2 ** Number(log), Number(block), Number(parallel)];
    if (n < 2 || r < 1 || p < 1) return { fault: 'has costs that scrypt does not know' };
    if (128 * n * r > mostScryptBytes) return tooCostly(`ln=${log}, r=${r}: at most ${mostScryptBytes / 1024 / 1024} MiB of memory`);
    if (128 * n * r * p > mostScryptWork)
      return tooCostly(`ln=${log}, r=${r}, p=${p}: at most ${mostScryptWork / 1024 / 1024} MiB of work`);
    return withSalt(salt, digest, { algorithm: 'scrypt', n, r, p });
  },
  pbkdf2: (_text, [name = '', rounds, salt = '', digest = '']) => {
    const iterations = Number(rounds);
    if (iterations < 1 || iterations > mostIterations) return tooCostly(`${iterations} iterations, from 1 to ${mostIterations}`);
    return withSalt(salt, digest, { algorithm: 'pbkdf2', function: name, iterations });
  },
};

function tooCostly(what: string): HashFault {
  return { fault: `has costs that are not accepted: ${what}` };
}

function withSalt<Costs extends object>(salt: string, digest: string, costs: Costs): (Costs & Salted) | HashFault {
  const [saltBytes, digestBytes] = [bytesOf(salt), bytesOf(digest)];
  if (saltBytes.length < leastSalt || saltBytes.length > mostSalt) return { fault: `has a salt of ${saltBytes.length} bytes` };
  if (digestBytes.length < leastDigest || digestBytes.length > mostDigest) return { fault: `has a digest of ${digestBytes.length} bytes` };
  return { ...costs, salt: saltBytes, digest: digestBytes };
}

/** Base64, with or without padding; passlib writes '.' for '+'. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64');
}
