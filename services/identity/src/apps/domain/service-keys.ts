/**
 * Public keys by which service accounts and outer issuers sign (RFC 7517, RFC 8725 section 3.2).
 */
import { createPublicKey } from 'node:crypto';
import type { Jwks } from '../../ground/domain/project-app.ts';
import { jwksFault, type KeyFault } from './public-keys.ts';

type Jwk = Jwks['keys'][number];

/** What an assertion may be signed with. None is symmetric: the server could sign with its key. */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;

const membersOf: Readonly<Record<string, readonly string[]>> = { RSA: ['n', 'e'], EC: ['crv', 'x', 'y'], OKP: ['crv', 'x'] };
const algorithmsOf: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'PS256'],
  EC: ['ES256'],
  OKP: ['EdDSA', 'Ed25519'],
};
const mostRsaBits = 8_192;
const longestKid = 200;

/** The first key of the set that signs no assertion, or has the id of another. */
export function serviceKeysFault(jwks: Jwks): KeyFault | undefined {
  const fault = jwksFault(jwks);
  if (fault !== undefined) return fault;
  const kids = new Set<unknown>();
  for (const [index, key] of jwks.keys.entries()) {
    if (!isForAssertions(key))
      return {
        index,
        en: `must be an RSA key of 2048 to ${mostRsaBits} bits, an EC key on P-256 or an Ed25519 key, and name no other algorithm`,
        de: `muss ein RSA-Schlüssel mit 2048 bis ${mostRsaBits} Bit, ein EC-Schlüssel auf P-256 oder ein Ed25519-Schlüssel sein und darf keinen anderen Algorithmus nennen`,
      };
    const { kid } = key;
    if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > longestKid))
      return {
        index,
        en: `has a kid that is no text of up to ${longestKid} characters`,
        de: `hat eine kid, die kein Text bis ${longestKid} Zeichen ist`,
      };
    if (kids.has(kid) || (kid === undefined && jwks.keys.length > 1))
      return { index, en: 'needs a kid that no other key has', de: 'braucht eine kid, die kein anderer Schlüssel hat' };
    kids.add(kid);
  }
  return undefined;
}

function isForAssertions(key: Jwk): boolean {
  const { kty, crv, alg, key_ops: operations } = key;
  const algorithms = algorithmsOf[String(kty)] ?? [];
  if (alg !== undefined && !algorithms.includes(String(alg))) return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  if (kty === 'EC') return crv === 'P-256';
  if (kty === 'OKP') return crv === 'Ed25519';
  return kty === 'RSA' && (createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength ?? Infinity) <= mostRsaBits;
}

/** What is needed to check a signature, and nothing else of the key. */
export function plainKey(key: Jwk): Jwk {
  const { kty, kid, alg } = key;
  const names = membersOf[String(kty)] ?? [];
  const members = names.map((name) => [name, key[name]]);
  return { kty, ...Object.fromEntries(members), ...(kid === undefined ? {} : { kid }), ...(alg === undefined ? {} : { alg }) };
}

/**
 * Those of a fetched set that check assertions. An issuer may publish others beside them: they are
 * left out, and no assertion can name them.
 */
export function usableKeys(keys: readonly Jwk[]): readonly Jwk[] {
  return keys.filter((key) => serviceKeysFault({ keys: [key] }) === undefined).map(plainKey);
}
