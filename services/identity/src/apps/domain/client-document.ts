/**
 * Documents by which clients are known (draft-ietf-oauth-client-id-metadata-document): which
 * addresses can name one, and what of a document counts.
 */
import { createHash } from 'node:crypto';
import type { AppType, AuthMethod, GrantType } from '@tessera/rules/app-types';
import type { Jwks } from '../../ground/domain/project-app.ts';
import { isLoopback, redirectUriFault } from './redirect-uri.ts';
import { serviceKeysFault } from './service-keys.ts';

export const longestAddress = 500;
const longestName = 80;
const mostRedirects = 20;
const mostKeys = 10;

/** A client id that is no name in this installation, but an address. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https?:\/\//i.test(clientId);
}

/**
 * The URL of a client id that can name a document; undefined for every other. One document has one
 * address: what a parser would write in another way is refused, and with it dot segments, upper
 * case, a default port and a name that is not in ASCII. A query would give one document many.
 */
export function readAddress(clientId: string, allowPrivate: boolean): URL | undefined {
  if (clientId.length > longestAddress || !URL.canParse(clientId)) return undefined;
  const url = new URL(clientId);
  if (url.href !== clientId || /[?#@]/.test(clientId) || url.pathname === '/') return undefined;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return undefined;
  // URL writes every number as an address of IPv4, whose last part has digits alone.
  const isName = /\.[a-z][^.]*$/.test(url.hostname);
  return isName || allowPrivate ? url : undefined;
}

/** A host of the list of a project, as `URL.host` has it: exact, with its port if it has one. */
export function isDomain(text: string, allowPrivate: boolean): boolean {
  const url = /^[a-z0-9.[\]:-]+$/.test(text) ? readAddress(`https://${text}/client`, allowPrivate) : undefined;
  return url !== undefined && url.host === text;
}

export type ClientDocument = {
  readonly type: Exclude<AppType, 'machine'>;
  /** What the client calls itself, unchecked. */
  readonly ownName: string | null;
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthMethod: AuthMethod;
  readonly grantTypes: readonly GrantType[];
  readonly jwks: Jwks | null;
  readonly jwksUri: string | null;
  readonly dpopBoundAccessTokens: boolean;
};

/** Why a document is not taken, in words for its author. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** The author of a document reads why it is refused. Other members count for nothing. */
export function readDocument(text: string, address: URL): ClientDocument {
  const fields = parse(text);
  require(fields['client_id'] === address.href, 'client_id must be the address of the document');
  for (const name of ['client_secret', 'client_secret_expires_at'])
    require(!Object.hasOwn(fields, name), `${name} must not be there: a document is public`);
  const redirectUris = readRedirects(fields['redirect_uris'], address);
  const keys = readKeys(fields, address);
  const { token_endpoint_auth_method: method = 'none' } = fields;
  require(method === 'none' || method === 'private_key_jwt', 'token_endpoint_auth_method must be none or private_key_jwt');
  const signs = method === 'private_key_jwt';
  require(!signs || keys.jwks !== null || keys.jwksUri !== null, 'private_key_jwt needs jwks or jwks_uri');
  const isNative = redirectUris.some((uri) => isLoopback(new URL(uri)));
  require(!(isNative && signs), 'a client that signs its requests cannot lead to this device');
  const type = isNative ? 'native' : signs ? 'web' : 'spa';
  const { grant_types: grants = ['authorization_code'], dpop_bound_access_tokens: isBound = false } = fields;
  require(Array.isArray(grants) && grants.includes('authorization_code'), 'grant_types must contain authorization_code');
  require(typeof isBound === 'boolean', 'dpop_bound_access_tokens must be true or false');
  return {
    type,
    redirectUris,
    ...(signs ? keys : { jwks: null, jwksUri: null }),
    ownName: readName(fields['client_name']),
    tokenEndpointAuthMethod: signs ? 'private_key_jwt' : 'none',
    // Every other grant is left out: a document is no reason to let a device or a machine in.
    grantTypes: grants.includes('refresh_token') ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    dpopBoundAccessTokens: isBound,
  };
}

/** Documents with the same digest are the same to the people who consented. */
export function digestOf({ type: _type, ...document }: ClientDocument): Buffer {
  return createHash('sha256').update(JSON.stringify(document)).digest();
}

function require(holds: boolean, words: string): asserts holds {
  if (!holds) throw new DocumentFault(words);
}

type Fields = Readonly<Record<string, unknown>>;

function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new DocumentFault('the document must be a JSON object');
}

/**
 * The page shows the domain of the document, so codes go there and nowhere else: or to a program on
 * the person's own device, which the page says.
 */
function readRedirects(value: unknown, address: URL): string[] {
  require(Array.isArray(value) &&
    value.length > 0 &&
    value.length <= mostRedirects, `redirect_uris must have 1 to ${mostRedirects} entries`);
  const uris = value.map((uri: unknown) => {
    require(typeof uri === 'string' && redirectUriFault(uri) === undefined, 'redirect_uris has an entry that is no safe address');
    return uri;
  });
  for (const uri of uris) {
    const url = new URL(uri);
    const isOwn = url.protocol === 'https:' && url.host === address.host;
    require(isOwn ||
      (url.protocol === 'http:' && isLoopback(url)), 'redirect_uris must lie at the host of the document, or on this device');
  }
  return [...new Set(uris)].toSorted();
}

function readKeys({ jwks = null, jwks_uri: jwksUri = null }: Fields, address: URL): Pick<ClientDocument, 'jwks' | 'jwksUri'> {
  require(jwks === null || jwksUri === null, 'jwks and jwks_uri exclude each other');
  if (jwksUri !== null) {
    const url = typeof jwksUri === 'string' && jwksUri.length <= 2_000 && URL.canParse(jwksUri) ? new URL(jwksUri) : undefined;
    const isOwn = url?.protocol === address.protocol && url.host === address.host && url.username === '' && url.password === '';
    require(url !== undefined && isOwn, 'jwks_uri must lie at the host of the document');
    return { jwks: null, jwksUri: url.href };
  }
  if (jwks === null) return { jwks: null, jwksUri: null };
  const keys = keysOf(jwks);
  require(keys !== undefined && keys.length > 0 && keys.length <= mostKeys, `jwks must have 1 to ${mostKeys} keys`);
  const fault = serviceKeysFault({ keys });
  require(fault === undefined, `jwks: key ${fault?.index} ${fault?.en}`);
  return { jwks: { keys }, jwksUri: null };
}

function keysOf(jwks: unknown): Jwks['keys'] | undefined {
  const keys: unknown = typeof jwks === 'object' && jwks !== null ? Reflect.get(jwks, 'keys') : undefined;
  if (!Array.isArray(keys) || !keys.every((key: unknown) => typeof key === 'object' && key !== null && !Array.isArray(key)))
    return undefined;
  return keys.map((key: object) => ({ ...key }));
}

/** A name with invisible characters, or with some that turn the text around, is none. */
function readName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value.normalize('NFC').trim();
  return name === '' || [...name].length > longestName || /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? null : name;
}
