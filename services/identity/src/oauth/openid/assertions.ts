/**
 * Assertions at the token endpoint (RFC 7523): a service account signs one with its own key, or an
 * outer issuer that it trusts did. Checked as RFC 8725 says: a list of algorithms, one audience,
 * bounded times, one use.
 */
import { createHash } from 'node:crypto';
import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWSHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { assertionAlgorithms } from '../../apps/domain/service-keys.ts';
import type { Spent } from '../../apps/storage/service-accounts.ts';
import { KeysUnavailable } from '../outer-keys.ts';

/** The message is for the log of the organization, unless it is `isPublic`. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault';
  /** Says nothing of the account: the assertion alone is wrong. */
  readonly isPublic: boolean;

  constructor(message: string, isPublic = false) {
    super(message);
    this.isPublic = isPublic;
  }
}

export type Assertion = {
  readonly text: string;
  readonly header: JWSHeaderParameters;
  readonly payload: JWTPayload;
};

export type KeyOf = (header: JWSHeaderParameters) => Promise<CryptoKey | undefined>;

const longestText = 16_384;
const longestId = 512;
const longestLifeSeconds = 3_600;
const skewSeconds = 60;
const types = ['jwt', 'client-authentication+jwt'];

/** What it says, before its signature is checked. */
export function readAssertion(text: string): Assertion {
  if (text.length > longestText) throw new AssertionFault('the assertion is too long', true);
  try {
    const assertion = { text, header: decodeProtectedHeader(text) as JWSHeaderParameters, payload: decodeJwt(text) };
    assertForm(assertion);
    return assertion;
  } catch (error) {
    if (error instanceof AssertionFault) throw error;
    throw new AssertionFault('the assertion is no signed JWT', true);
  }
}

function assertForm({ header: { alg, typ }, payload: { exp, jti } }: Assertion): void {
  if (!assertionAlgorithms.some((name) => name === alg))
    throw new AssertionFault(`the assertion must be signed with one of ${assertionAlgorithms.join(', ')}`, true);
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(typ.toLowerCase())))
    throw new AssertionFault('the assertion is a token of another type', true);
  if (typeof exp !== 'number') throw new AssertionFault('the assertion must have exp', true);
  if (jti !== undefined && (typeof jti !== 'string' || jti === '' || jti.length > longestId))
    throw new AssertionFault(`jti must be a text of up to ${longestId} characters`, true);
}

/** Times that depend on nothing but the assertion and the clock. */
export function assertTimes({ payload: { exp = 0, iat, nbf } }: Assertion, now: Date): void {
  const seconds = now.getTime() / 1_000;
  if (exp + skewSeconds <= seconds) throw new AssertionFault('the assertion has expired', true);
  if (exp > seconds + longestLifeSeconds + skewSeconds) throw new AssertionFault('the assertion expires too late: an hour at most', true);
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time === undefined) continue;
    if (typeof time !== 'number') throw new AssertionFault(`${name} must be a number`, true);
    if (time > seconds + skewSeconds) throw new AssertionFault(`${name} lies in the future`, true);
  }
  if (iat !== undefined && exp - iat > longestLifeSeconds) throw new AssertionFault('the assertion lives too long: an hour at most', true);
}

/** Whether the key has signed it. A key that is not there takes as long as one that has not. */
export async function assertSigned({ text, header }: Assertion, keyOf: KeyOf, now: Date): Promise<void> {
  const key = await keyOf(header);
  const isSigned = await isSignedBy(text, key ?? (await decoyOf(String(header.alg))), now);
  if (key === undefined) throw new AssertionFault('the assertion names no key that is known');
  if (!isSigned) throw new AssertionFault('the signature of the assertion is wrong');
}

/** For an account that does not exist, and one without such a credential. */
export async function refuseSlowly({ text, header }: Assertion, now: Date): Promise<void> {
  await isSignedBy(text, await decoyOf(String(header.alg)), now);
}

async function isSignedBy(text: string, key: CryptoKey, currentDate: Date): Promise<boolean> {
  try {
    await jwtVerify(text, key, { algorithms: [...assertionAlgorithms], clockTolerance: skewSeconds, currentDate });
    return true;
  } catch (error) {
    // jose throws a TypeError for a key that does not fit the algorithm.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

/** Public keys of each kind. Whatever they say of a signature, it is refused. */
const decoys: Readonly<Record<string, { readonly kty: string } & Readonly<Record<string, string>>>> = {
  RSA: { kty: 'RSA', n: Buffer.alloc(256, 0xc5).toString('base64url'), e: 'AQAB' },
  // The generator of the curve (SEC 2 section 2.4.2), and the base point (RFC 8032 section 5.1).
  EC: { kty: 'EC', crv: 'P-256', x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY', y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU' },
  OKP: { kty: 'OKP', crv: 'Ed25519', x: Buffer.concat([Buffer.of(0x58), Buffer.alloc(31, 0x66)]).toString('base64url') },
};

async function decoyOf(alg: string): Promise<CryptoKey> {
  const kind = alg.startsWith('E') ? (alg === 'ES256' ? 'EC' : 'OKP') : 'RSA';
  const key = await importJWK(decoys[kind] ?? { kty: kind }, alg);
  if (key instanceof Uint8Array) throw new KeysUnavailable('a decoy is no key');
  return key;
}

/**
 * What is remembered, so that it works once: who issued it and its `jti`, or, where an issuer
 * writes none, all that was signed. (The signature itself can be written in two ways.)
 */
export function spentOf(issuedBy: string, { text, payload: { exp = 0, jti } }: Assertion): Spent {
  const id = jti === undefined ? ['signed', text.slice(0, text.lastIndexOf('.'))] : ['jti', jti];
  const digest = createHash('sha256')
    .update(JSON.stringify([issuedBy, ...id]), 'utf8')
    .digest();
  return { digest, until: new Date(Math.ceil(exp + 2 * skewSeconds) * 1_000) };
}
