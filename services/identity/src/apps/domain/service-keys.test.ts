import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { JWK } from 'jose';
import { plainKey, serviceKeysFault, usableKeys } from './service-keys.ts';

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const jwkOf = ({ publicKey }: ReturnType<typeof rsa>, more: object = {}): JWK => ({ ...publicKey.export({ format: 'jwk' }), ...more });
const strong = rsa(2_048);
const curve = ec('P-256');
const index = (...keys: JWK[]) => serviceKeysFault({ keys })?.index;

describe('keys of service accounts', () => {
  test('RSA of 2048 bits, P-256 and Ed25519 are kept', () => {
    const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    expect(index(jwkOf(strong, { kid: 'a' }), jwkOf(curve, { kid: 'b', alg: 'ES256' }), { ...ed, kid: 'c', alg: 'EdDSA' })).toBeUndefined();
    expect(index(jwkOf(strong))).toBeUndefined();
  });

  test.each<[what: string, keys: JWK[], at: number]>([
    ['a private key', [{ ...strong.privateKey.export({ format: 'jwk' }) }], 0],
    ['a private EC key', [{ ...curve.privateKey.export({ format: 'jwk' }) }], 0],
    ['a symmetric key', [{ kty: 'oct', k: 'c2VjcmV0' }], 0],
    ['a weak RSA key', [jwkOf(rsa(1_024))], 0],
    ['another curve', [jwkOf(ec('P-384'))], 0],
    ['a key to encrypt', [jwkOf(strong, { use: 'enc' })], 0],
    ['a key that verifies nothing', [jwkOf(strong, { key_ops: ['encrypt'] })], 0],
    ['another algorithm', [jwkOf(strong, { alg: 'RS512' })], 0],
    ['a symmetric algorithm', [jwkOf(strong, { alg: 'HS256' })], 0],
    ['none as algorithm', [jwkOf(strong, { alg: 'none' })], 0],
    ['two of one id', [jwkOf(strong, { kid: 'a' }), jwkOf(curve, { kid: 'a' })], 1],
    ['one of two without an id', [jwkOf(strong, { kid: 'a' }), jwkOf(curve)], 1],
    ['an id that is no text', [{ ...jwkOf(strong), kid: 7 } as unknown as JWK], 0],
    ['no key', [{ kty: 'RSA' }], 0],
  ])('%s is refused', (_what, keys, at) => expect(index(...keys)).toBe(at));

  test('nothing but the key is kept of it, and an issuer’s other keys are left out', () => {
    const key = jwkOf(strong, { kid: 'a', x5u: 'http://127.0.0.1/', use: 'sig' });
    expect(Object.keys(plainKey(key as Record<string, unknown>)).toSorted()).toStrictEqual(['e', 'kid', 'kty', 'n']);
    const set = [jwkOf(rsa(1_024)), key, { kty: 'oct', k: 'c2VjcmV0' }] as Record<string, unknown>[];
    expect(usableKeys(set).map(({ kid }) => kid)).toStrictEqual(['a']);
  });
});
