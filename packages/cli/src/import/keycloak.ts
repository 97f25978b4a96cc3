/** Keycloak's export: one JSON document with a list of `users`, read object by object. */
import { entriesOf, parseJson } from './json-list.ts';
import { type Entry, invalid, isEntry, type Row, textOf, toPerson } from './person.ts';

export async function* rowsOfKeycloak(source: AsyncIterable<Buffer>): AsyncIterable<Row> {
  for await (const { entry, line, bytes } of entriesOf(source, { list: 'users', system: 'Keycloak' }))
    yield { line, bytes, found: entry === undefined ? invalid('the user is no JSON object') : found(entry) };
}

function found(entry: Entry): Row['found'] {
  const { id, email, emailVerified, enabled, firstName, lastName, attributes, credentials } = entry;
  const about = { email: textOf(email), externalId: textOf(id) };
  if (enabled === false) return { fault: { status: 'skipped', reason: 'disabled in Keycloak', ...about } };
  if (textOf(entry['serviceAccountClientId']) !== undefined)
    return { fault: { status: 'skipped', reason: 'the account of a service: make an API key for it', ...about } };
  const name = [firstName, lastName].flatMap((part) => textOf(part) ?? []).join(' ');
  const password = passwordOf(credentials);
  if (password === undefined) return invalid('the password is hashed in a way that is not known', about);
  const metadata = isEntry(attributes)
    ? Object.fromEntries(Object.entries(attributes).map(([key, values]) => [key, single(values)]))
    : null;
  return toPerson({ email, name, emailVerified: emailVerified ?? false, externalId: id, metadata, ...password });
}

/** Attributes are lists, mostly of one. */
function single(values: unknown): unknown {
  return Array.isArray(values) && values.length === 1 ? values[0] : values;
}

type Password = { readonly passwordHash?: string; readonly hashAlgorithm?: string };

/** Nothing for a person without a password, undefined for one that cannot be taken. */
function passwordOf(credentials: unknown): Password | undefined {
  const password = (Array.isArray(credentials) ? credentials : []).filter(isEntry).find(({ type }) => type === 'password');
  if (password === undefined) return {};
  const [secret, how] = [password['secretData'], password['credentialData']].map((text) => parseJson(textOf(text) ?? ''));
  if (!isEntry(secret) || !isEntry(how)) return undefined;
  const [hash, salt, algorithm] = [textOf(secret['value']), textOf(secret['salt']), textOf(how['algorithm'])];
  if (hash === undefined || salt === undefined || algorithm === undefined) return undefined;
  const [iterations, tail] = [Number(how['hashIterations']), `${unpadded(salt)}$${unpadded(hash)}`];
  if (!Number.isSafeInteger(iterations) || iterations < 1) return undefined;
  if (/^pbkdf2(-sha\d+)?$/.test(algorithm)) return { hashAlgorithm: 'pbkdf2', passwordHash: pbkdf2(algorithm, iterations, tail) };
  return algorithm === 'argon2' ? argon2(how['additionalParameters'], iterations, tail) : undefined;
}

/** Keycloak's `pbkdf2` is with SHA-1. */
function pbkdf2(algorithm: string, iterations: number, tail: string): string {
  return `$${algorithm === 'pbkdf2' ? 'pbkdf2-sha1' : algorithm}$i=${iterations}$${tail}`;
}

function argon2(parameters: unknown, iterations: number, tail: string): Password | undefined {
  const first = (name: string) => {
    const value = isEntry(parameters) ? parameters[name] : undefined;
    return Array.isArray(value) ? String(value[0]) : undefined;
  };
  const [memory, parallelism, type = 'id', version = '1.3'] = ['memory', 'parallelism', 'type', 'version'].map(first);
  if (!/^\d+$/.test(memory ?? '') || !/^\d+$/.test(parallelism ?? '') || !['i', 'd', 'id'].includes(type)) return undefined;
  const number = version === '1.0' ? 16 : 19;
  return { hashAlgorithm: 'argon2', passwordHash: `$argon2${type}$v=${number}$m=${memory},t=${iterations},p=${parallelism}$${tail}` };
}

/** The text form of hashes has base64 without padding. */
function unpadded(base64: string): string {
  return base64.replace(/=+$/, '');
}
