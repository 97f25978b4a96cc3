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

type Claims = Readonly<Record<string, unknown>>;

/**
 * An address at Google is that person's for good only where Google hosts its mail: in its own
 * domains, or in those of a Workspace (`hd`). Another one was verified once, and may have another
 * owner since.
 */
function googleProfile(claims: Claims): Profile {
  const profile = claimsProfile(claims);
  const isGoogles = /@(?:gmail|googlemail)\.com$/.test(profile.email ?? '');
  return { ...profile, isEmailVerified: profile.isEmailVerified && (isGoogles || typeof claims['hd'] === 'string') };
}

const googleIssuer = 'https://accounts.google.com';

/**
 * Whether an organization's provider speaks of its own people. Google signs in also who once
 * registered a work address there by themselves, and has left since: they have no `hd`.
 */
export function isOfOrganization(issuer: string, claims: Claims): boolean {
  return issuer !== googleIssuer || typeof claims['hd'] === 'string';
}

const guid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** `tid` of Microsoft Entra: the customer of Microsoft whose directory has signed the person in. */
export function entraTenantOf({ tid }: Claims): string {
  if (typeof tid !== 'string' || !guid.test(tid)) throw new MalformedProfile('no tid');
  return tid;
}

/**
 * Any administrator at Entra may write any address into a person's `email` ("nOAuth"). It proves
 * nothing, unless Microsoft says that the domain is that directory's own (`xms_edov`). A subject
 * means something only together with the directory.
 */
function entraProfile(claims: Claims): Profile {
  const { xms_edov: isDomainOwned } = claims;
  const profile = claimsProfile({ ...claims, email_verified: isDomainOwned === true || isDomainOwned === 1 || isDomainOwned === '1' });
  return { ...profile, providerId: idOf(`${entraTenantOf(claims)}.${profile.providerId}`) };
}

/** Apple writes booleans as texts, too. The name is not in the ID token. */
function appleProfile(claims: Claims): Profile {
  const { email_verified: said } = claims;
  return { ...claimsProfile({ ...claims, email_verified: said === true || said === 'true' }), name: null };
}

/** `user` of Apple's form, which comes with the first sign-in alone, and is not signed. */
export function appleNameOf(user: string | null): string | null {
  if (user === null || user.length > 2_000) return null;
  try {
    const { firstName, lastName } = objectOf(objectOf(JSON.parse(user))['name']);
    return nameOf([firstName, lastName].filter((part) => typeof part === 'string').join(' '));
  } catch {
    return null;
  }
}

/** Where a profile is read, and what is asked for it. */
type Reading = { readonly scopes: string } & (
  | { readonly read: ReadProfile }
  /** The ID token says it all. */
  | { readonly fromClaims: (claims: Claims) => Profile }
);

const codehost = { read: readCodehost, scopes: 'read:user user:email' } as const;
const openid = { read: readOpenid, scopes: 'openid email profile' } as const;

export const profiles = {
  codehost,
  openid,
  github: codehost,
  gitlab: openid,
  okta: openid,
  google: { fromClaims: googleProfile, scopes: openid.scopes },
  entra: { fromClaims: entraProfile, scopes: openid.scopes },
  apple: { fromClaims: appleProfile, scopes: 'openid email name' },
} as const satisfies Readonly<Record<string, Reading>>;

export type ProfileName = keyof typeof profiles;
