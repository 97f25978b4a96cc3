/** A person as the import takes them, and what is wrong with a row that is none. */
import { hashAlgorithms, readImportedHash } from './imported-hash.generated.ts';

export type Person = {
  readonly email: string;
  readonly name?: string;
  readonly passwordHash?: string;
  readonly hashAlgorithm?: string;
  readonly emailVerified?: boolean;
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export const keys = ['email', 'name', 'passwordHash', 'hashAlgorithm', 'emailVerified', 'externalId', 'metadata'] as const;
export type Key = (typeof keys)[number];

export type Fault = {
  readonly status: 'skipped' | 'invalid';
  readonly reason: string;
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
};

/** One row of the input. Rows are counted from 0, lines from 1. */
export type Row = {
  readonly line: number;
  /** Where the reading is in the file, for the progress. */
  readonly bytes: number;
  readonly found: { readonly person: Person } | { readonly fault: Fault };
};

export type Entry = Readonly<Record<string, unknown>>;

export function invalid(reason: string, about: Entry = {}): { readonly fault: Fault } {
  return { fault: { status: 'invalid', reason, email: textOf(about['email']), externalId: textOf(about['externalId']) } };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const texts = ['name', 'passwordHash', 'hashAlgorithm', 'externalId'] as const;

/** Null and the empty text are the same as left out. The server checks the form of hashes. */
export function toPerson(entry: Entry): Row['found'] {
  const unknown = Object.keys(entry).find((key) => !(keys as readonly string[]).includes(key));
  if (unknown !== undefined) return invalid(`${JSON.stringify(unknown)} is no key: ${keys.join(', ')}`, entry);
  const given = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== ''));
  const { email, emailVerified, metadata } = given;
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) return invalid('email is no address', entry);
  const wrong = texts.find((key) => given[key] !== undefined && typeof given[key] !== 'string');
  if (wrong !== undefined) return invalid(`${wrong} must be a text`, entry);
  if (emailVerified !== undefined && typeof emailVerified !== 'boolean') return invalid('emailVerified must be true or false', entry);
  if (metadata !== undefined && !isEntry(metadata)) return invalid('metadata must be an object', entry);
  if ((given['passwordHash'] === undefined) !== (given['hashAlgorithm'] === undefined))
    return invalid('passwordHash and hashAlgorithm belong together', entry);
  return { person: given as Person };
}

/**
 * Judges the password hash as the server does, before anything is sent. Otherwise a dry run would
 * call a hash good that the server then refuses. The reason never contains the hash.
 */
export function checkHash(person: Person): Row['found'] {
  const { passwordHash, hashAlgorithm } = person;
  if (passwordHash === undefined) return { person };
  const algorithm = hashAlgorithms.find((name) => name === hashAlgorithm);
  if (algorithm === undefined) return invalid(`hashAlgorithm must be one of ${hashAlgorithms.join(', ')}`, person);
  const hash = readImportedHash(algorithm, passwordHash);
  return 'fault' in hash ? invalid(`passwordHash ${hash.fault}`, person) : { person };
}
