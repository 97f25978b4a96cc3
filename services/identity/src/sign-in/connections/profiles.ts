import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { toName } from '@tessera/kernel/operation';

/**
 * A person at a provider. The address counts as verified only if the provider says so explicitly.
 */
export type ProviderIdentity = {
  readonly provider: string;
  readonly providerId: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
};

export type Profile = Omit<ProviderIdentity, 'provider'>;
/** Reads one resource of the provider as JSON, with the access token of this sign-in. */
export type Fetch = (url: string) => Promise<unknown>;
export type ReadProfile = (apiUrl: string, fetch: Fetch) => Promise<Profile>;

/** The provider answered with something that is no profile. */
export class MalformedProfile extends Error {
  override readonly name = 'MalformedProfile';
}

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedProfile('not an object');
  return value as Json;
}

function nameOf(value: unknown): string | null {
  const name = typeof value === 'string' ? toName(value, 200) : '';
  return name === '' ? null : name;
}

/** Numbers are ids too; nothing else is, least of all a name that can be given away. */
function idOf(value: unknown): string {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string' || id === '' || id.length > 255) throw new MalformedProfile('no id');
  return id;
}

function addressOf(value: unknown): string | null {
  const address = typeof value === 'string' ? normalizeAddress(value) : '';
  return isAddress(address) ? address : null;
}

function isAscii(value: unknown): boolean {
  return typeof value === 'string' && /^[ -~]*$/.test(value);
}

/**
 * Case folding must not turn an address into another one: the Kelvin sign folds into the ASCII
 * letter k, and so proves no address with it.
 */
function isSame(given: unknown, email: string | null): boolean {
  return email !== null && (isAscii(given) || !isAscii(email));
}

/**
 * Code hosts: /user says who, /user/emails which address is the primary one and whether it was
 * verified.
 */
const readCodehost: ReadProfile = async (apiUrl, fetch) => {
  const [user, emails] = await Promise.all([fetch(`${apiUrl}/user`), fetch(`${apiUrl}/user/emails`)]);
  const { id, login, name } = objectOf(user);
  const known = Array.isArray(emails) ? emails.map(objectOf) : [];
  const primary = known.find((entry) => entry.primary === true) ?? known.find((entry) => entry.verified === true);
  const email = addressOf(primary?.email);
  return {
    providerId: idOf(id),
    name: nameOf(name) ?? nameOf(login),
    email,
    isEmailVerified: primary?.verified === true && isSame(primary.email, email),
  };
};

/** OpenID Connect Core 5.3: the standard claims of the userinfo endpoint. */
const readOpenid: ReadProfile = async (apiUrl, fetch) => claimsProfile(await fetch(apiUrl));

/** The same, from claims of an ID token or of userinfo. */
export function claimsProfile(claims: unknown): Profile {
  const { sub, name, preferred_username, email: address, email_verified } = objectOf(claims);
  const email = addressOf(address);
  return {
    providerId: idOf(sub),
    name: nameOf(name) ?? nameOf(preferred_username),
    email,
    isEmailVerified: email_verified === true && isSame(address, email),
  };
}

export const profiles = {
  codehost: { read: readCodehost, scopes: 'read:user user:email' },
  openid: { read: readOpenid, scopes: 'openid email profile' },
} as const;
