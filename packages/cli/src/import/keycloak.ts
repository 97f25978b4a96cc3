/** Keycloak's export: one JSON document with a list of `users`, read object by object. */

import { Failure } from '../failure.ts';
import { invalid, isEntry, type Row, textOf, toPerson } from './person.ts';

const mostUserLength = 512 * 1024;

type Found = { readonly text: string; readonly line: number; readonly bytes: number };

/** The objects of the list `users` of the document's own object, as text. */
export async function* usersOf(source: AsyncIterable<Buffer>): AsyncIterable<Found> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [line, bytes, depth, startedAt] = [1, 0, 0, 1];
  let [isText, isEscaped, isInUsers] = [false, false, false];
  /** The last text at the top of the document: the key, when a list begins. */
  let key = '';
  let user: string | undefined;
  let isFound = false;
  for await (const chunk of source) {
    bytes += chunk.length;
    const text = decode(decoder, chunk, line);
    // Where the part of a user begins that is not in `user` yet.
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (character === '\n') line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isText = false;
        if (isText && depth === 1 && key.length < 100) key += character;
      } else if (character === '"') {
        isText = true;
        if (depth === 1) key = '';
      } else if (character === '{' || character === '[') {
        depth += 1;
        if (depth === 2 && character === '[' && key === 'users') isInUsers = isFound = true;
        else if (depth === 3 && isInUsers && character === '{') [user, startedAt, from] = ['', line, at];
      } else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth === 2 && user !== undefined) {
          yield { text: user + text.slice(from, at + 1), line: startedAt, bytes };
          user = undefined;
        } else if (depth === 1) isInUsers = false;
      }
    }
    if (user !== undefined) user += text.slice(from);
    if (user !== undefined && user.length > mostUserLength)
      throw new Failure(`Line ${startedAt}: a user is longer than ${mostUserLength} characters.`);
  }
  if (user !== undefined || depth !== 0) throw new Failure(`Line ${line}: the file ends in the middle of the document.`);
  if (!isFound) throw new Failure('This is no export of Keycloak: it has no list "users".');
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, line: number): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new Failure(`After line ${line}: the file is not UTF-8.`, undefined, { cause });
  }
}

export async function* rowsOfKeycloak(source: AsyncIterable<Buffer>): AsyncIterable<Row> {
  for await (const { text, line, bytes } of usersOf(source)) yield { line, bytes, found: found(text) };
}

function found(text: string): Row['found'] {
  const entry = parse(text);
  if (!isEntry(entry)) return invalid('the user is no JSON object');
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
  const [secret, how] = [password['secretData'], password['credentialData']].map((text) => parse(textOf(text) ?? ''));
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
