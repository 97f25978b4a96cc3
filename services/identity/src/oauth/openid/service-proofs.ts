/**
 * How a service account proves at the token endpoint who it is: by a secret (RFC 6749 section 2.3),
 * by an assertion that it signed (`private_key_jwt`, RFC 7523 section 2.2), or by one of an outer
 * issuer that it trusts (section 2.1).
 */
import { isId } from '@tessera/kernel/ids';
import { isWithin } from '@tessera/kernel/tokens';
import { isFor, unmatchedClaim } from '../../apps/domain/trust.ts';
import {
  type AssertedCredential,
  findServiceAccountAsserted,
  findServiceAccountBySecret,
  type ServiceAccount,
  type Spent,
} from '../../apps/storage/service-accounts.ts';
import type { ProtocolContext } from '../deps.ts';
import { findKey, KeysUnavailable } from '../outer-keys.ts';
import {
  type Assertion,
  AssertionFault,
  assertSigned,
  assertTimes,
  type KeyOf,
  readAssertion,
  refuseSlowly,
  spentOf,
} from './assertions.ts';

/** An error of RFC 6749 section 5.2; `account` once it is known which one it is about. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: string;
  readonly account: ServiceAccount | undefined;
  /** What the log of the organization says; the message says no more than a stranger may know. */
  readonly reason: string;

  constructor(code: string, message: string, account?: ServiceAccount, reason = message) {
    super(message);
    this.code = code;
    this.account = account;
    this.reason = reason;
  }
}

export type ServiceTokenRequest = { readonly form: URLSearchParams; readonly authorization: string | undefined };

export type Proven = {
  readonly account: ServiceAccount;
  readonly credentialId: string;
  readonly expiresAt: string | null;
  /** Of an assertion, which works once. */
  readonly spent?: Spent;
  /** For the audit log: whose assertion it was. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const longestSecret = 200;
const mostFields = 30;

/** The same words whether the account is unknown or its credential is wrong, used or expired. */
export const unknownOf = {
  client_credentials: 'the service account or its secret is not known, or the secret has expired',
  private_key_jwt: 'the service account or its key is not known, or the assertion was used before',
  directory_token: 'the directory token is not known, has ended, or belongs to another organization',
  [jwtBearerGrant]: 'no service account of this client_id trusts the assertion, or it was used before',
} as const;

export async function proveServiceAccount(request: ServiceTokenRequest, context: ProtocolContext): Promise<Proven> {
  assertPlain(request.form);
  const proof = await proofOf(request, context);
  assertUsable(proof, context);
  return proof;
}

/** Each field once (RFC 6749 section 3.2), and not so many that to look at them costs anything. */
function assertPlain(form: URLSearchParams): void {
  const seen = new Set<string>();
  for (const name of form.keys()) {
    if (seen.has(name)) throw new TokenRefusal('invalid_request', `${name.slice(0, 100)} is given more than once`);
    if (seen.size === mostFields) throw new TokenRefusal('invalid_request', `at most ${mostFields} fields are taken`);
    seen.add(name);
  }
}

function proofOf(request: ServiceTokenRequest, context: ProtocolContext): Promise<Proven> {
  const { form, authorization } = request;
  const isSigned = form.has('client_assertion') || form.has('client_assertion_type');
  const isBearer = form.get('grant_type') === jwtBearerGrant;
  const others = [authorization !== undefined, form.has('client_secret'), isBearer && isSigned];
  if ((isSigned || isBearer) && others.includes(true))
    throw new TokenRefusal('invalid_request', 'an assertion is sent alone, without a secret and another assertion');
  if (isBearer) return byTrust(form, context);
  return isSigned ? byOwnKey(form, context) : bySecret(clientOf(request), context);
}

/** What holds for each kind of credential, once it is proven. */
function assertUsable({ account }: Proven, { request }: ProtocolContext): void {
  if (account.isSuspended) throw new TokenRefusal('access_denied', 'the operator has suspended the organization or account', account);
  const { allowedNetworks } = account;
  if (allowedNetworks.length > 0 && !isWithin(allowedNetworks, request.ipAddress))
    throw new TokenRefusal('access_denied', 'the service account may not be used from this address', account);
}

export function hasEnded({ expiresAt }: { readonly expiresAt: string | null }, now: Date): boolean {
  return expiresAt !== null && Date.parse(expiresAt) - now.getTime() < 1_000;
}

/** Whose service account it is; the platform has no id. */
function ownerOf(account: ServiceAccount | undefined): string {
  return account?.scope.id ?? '';
}

type Client = { readonly id: string; readonly secret: string };

/** Basic, or in the form; never both (RFC 6749 section 2.3). */
function clientOf({ form, authorization }: ServiceTokenRequest): Client {
  const [inForm, secretInForm] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) return { id: inForm ?? '', secret: secretInForm ?? '' };
  const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw new TokenRefusal('invalid_client', 'the authorization header must be Basic');
  if (secretInForm !== null) throw new TokenRefusal('invalid_request', 'send the secret once, in the header or in the form');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const client = { id: unescaped(text.slice(0, Math.max(colon, 0))), secret: unescaped(text.slice(colon + 1)) };
  if (inForm !== null && inForm !== client.id) throw new TokenRefusal('invalid_request', 'client_id is not that of the header');
  return client;
}

/** The header has both in the form's encoding (section 2.3.1). */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new TokenRefusal('invalid_client', 'the authorization header is not well encoded');
  }
}

async function bySecret({ id, secret }: Client, { deps, now }: ProtocolContext): Promise<Proven> {
  const unknown = unknownOf.client_credentials;
  if (!isId(id) || secret === '' || secret.length > longestSecret) throw new TokenRefusal('invalid_client', unknown);
  const found = await findServiceAccountBySecret(deps.database, id, secret);
  if (found === undefined) throw new TokenRefusal('invalid_client', unknown);
  const { account, credentialId, expiresAt } = found;
  if (credentialId === null || hasEnded({ expiresAt }, now)) throw new TokenRefusal('invalid_client', unknown, account);
  return { account, credentialId, expiresAt, detail: {} };
}

/**
 * The account is issuer and subject, and the platform's issuer alone is the audience, as one
 * string: as at the issuers of projects (RFC 7523bis).
 */
async function byOwnKey(form: URLSearchParams, context: ProtocolContext): Promise<Proven> {
  if (form.get('client_assertion_type') !== assertionType)
    throw new TokenRefusal('invalid_request', `client_assertion_type must be ${assertionType}`);
  const { deps } = context;
  const refuse = refusalOf('invalid_client', unknownOf.private_key_jwt);
  const assertion = await refuse(async () => readOwn(form.get('client_assertion') ?? '', context));
  const { sub: id = '' } = assertion.payload;
  if (form.has('client_id') && form.get('client_id') !== id)
    throw new TokenRefusal('invalid_request', 'client_id is not that of the assertion');
  const found = isId(id) ? await findServiceAccountAsserted(deps.database, id, 'jwks') : undefined;
  const { account, credentials = [] } = found ?? {};
  const credential = await refuse(() => signerOf(assertion, { account, credentials }, context), account);
  if (account === undefined) throw new TokenRefusal('invalid_client', unknownOf.private_key_jwt);
  const { id: credentialId, expiresAt } = credential;
  return { account, credentialId, expiresAt, spent: spentOf(`client ${id}`, assertion), detail: {} };
}

function readOwn(text: string, { deps, now }: ProtocolContext): Assertion {
  const assertion = readAssertion(text);
  const { iss, sub, aud, jti } = assertion.payload;
  if (iss === undefined || iss !== sub) throw new AssertionFault('iss and sub of the assertion must be the client_id', true);
  if (aud !== deps.settings.appUrl) throw new AssertionFault(`aud of the assertion must be ${deps.settings.appUrl}, as one string`, true);
  if (jti === undefined) throw new AssertionFault('the assertion must have jti', true);
  assertTimes(assertion, now);
  return assertion;
}

type Candidates = { readonly account: ServiceAccount | undefined; readonly credentials: readonly AssertedCredential[] };

/** The credential whose key has signed it. */
async function signerOf(
  assertion: Assertion,
  { account, credentials }: Candidates,
  { deps, now }: ProtocolContext,
): Promise<AssertedCredential> {
  const faults: string[] = [];
  for (const credential of credentials) {
    if (hasEnded(credential, now)) continue;
    const { jwks, jwksUri } = credential;
    const keyOf: KeyOf = (header) =>
      jwksUri === null ? findKey(jwks ?? { keys: [] }, header) : deps.outerKeys.find({ jwksUri, ownerId: ownerOf(account) }, header, now);
    try {
      await assertSigned(assertion, keyOf, now);
      return credential;
    } catch (error) {
      if (!(error instanceof AssertionFault || error instanceof KeysUnavailable)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length === 0) await refuseSlowly(assertion, now);
  throw new AssertionFault(faults.at(-1) ?? 'the account has no key');
}

/** An outer issuer has signed it, for the audience and with the claims of a credential. */
async function byTrust(form: URLSearchParams, context: ProtocolContext): Promise<Proven> {
  const { deps } = context;
  const refuse = refusalOf('invalid_grant', unknownOf[jwtBearerGrant]);
  const id = form.get('client_id') ?? '';
  if (id === '' || !form.has('assertion')) throw new TokenRefusal('invalid_request', 'client_id and assertion are required');
  const assertion = await refuse(async () => readOuter(form.get('assertion') ?? '', context));
  const found = isId(id) ? await findServiceAccountAsserted(deps.database, id, 'trust') : undefined;
  const { account, credentials = [] } = found ?? {};
  const credential = await refuse(() => truster(assertion, { account, credentials }, context), account);
  if (account === undefined) throw new TokenRefusal('invalid_grant', unknownOf[jwtBearerGrant]);
  const { iss: issuer = '', sub } = assertion.payload;
  const { id: credentialId, expiresAt } = credential;
  return { account, credentialId, expiresAt, spent: spentOf(`issuer ${issuer}`, assertion), detail: { issuer, assertedSubject: sub } };
}

function readOuter(text: string, { now }: ProtocolContext): Assertion {
  const assertion = readAssertion(text);
  const { iss, sub, iat } = assertion.payload;
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub.length > longestSubject)
    throw new AssertionFault(`iss and sub of the assertion must be texts, sub of up to ${longestSubject} characters`, true);
  if (iat === undefined) throw new AssertionFault('the assertion must have iat', true);
  assertTimes(assertion, now);
  return assertion;
}

const longestSubject = 1_000;

/**
 * The credential that trusts it. Its issuer is asked for keys only when audience and claims are
 * right.
 */
async function truster(
  assertion: Assertion,
  { account, credentials }: Candidates,
  { deps, now }: ProtocolContext,
): Promise<AssertedCredential> {
  const faults: string[] = [];
  for (const credential of credentials) {
    const fault = hasEnded(credential, now) ? 'the credential has expired' : mismatchOf(assertion, credential);
    if (fault === undefined) {
      const issuer = credential.issuer ?? '';
      await assertSigned(assertion, (header) => deps.outerKeys.find({ issuer, ownerId: ownerOf(account) }, header, now), now);
      return credential;
    }
    faults.push(fault);
  }
  await refuseSlowly(assertion, now);
  throw new AssertionFault(faults.at(-1) ?? 'the account trusts no issuer');
}

function mismatchOf({ payload }: Assertion, { issuer, audience, claims }: AssertedCredential): string | undefined {
  if (issuer === null || audience === null || claims === null || payload.iss !== issuer) return 'the account does not trust this issuer';
  if (!isFor({ audience }, payload.aud)) return 'the audience of the assertion is not that of the credential';
  const claim = unmatchedClaim({ claims }, payload);
  return claim === undefined ? undefined : `the claim ${claim} of the assertion is not as the credential says`;
}

/** Faults of an assertion, as the token endpoint tells them. */
function refusalOf(code: string, unknown: string) {
  return async <Result>(work: () => Promise<Result>, account?: ServiceAccount): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof KeysUnavailable) throw new TokenRefusal(code, unknown, account, error.message);
      if (!(error instanceof AssertionFault)) throw error;
      throw new TokenRefusal(code, error.isPublic ? error.message : unknown, account, error.message);
    }
  };
}
