import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createTokenVerifier } from '@tessera/kernel/tokens';
import { apiKeyClaims, attacks, type SigningKey, sessionClaims, sign, type Target } from '../../../packages/verifier/test/attacks.ts';

/** Runs the attacks on @tessera/verifier against the services' own verifier as well. */
const appUrl = 'https://iam.example';
const [organizationId, projectId, userId] = ['a', 'b', 'c'].map((letter) => `0190a000-0000-7000-8000-00000000000${letter}`);
function signingKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}
const target: Target = {
  appUrl,
  issuer: `${appUrl}/org/${organizationId}/prj/${projectId}`,
  nowSeconds: 1_800_000_000,
  system: signingKey('0190a000-0000-7000-8000-000000000001'),
  project: signingKey('0190a000-0000-7000-8000-000000000002'),
  userId: String(userId),
  scope: { tenant: 'organizationProjectUser', id: `${organizationId}:${projectId}:${userId}` },
};
const scopes = new Map([
  [target.system, { tenant: 'system', id: '' }],
  [target.project, { tenant: 'organizationProject', id: `${organizationId}:${projectId}` }],
]);

function verifier() {
  const asked: string[] = [];
  const findKey = async (kid: string) => {
    asked.push(kid);
    const [key, scope] = [...scopes].find(([known]) => known.kid === kid) ?? [];
    if (key === undefined || scope === undefined) return undefined;
    const { n = '', e = '' } = key.publicKey.export({ format: 'jwk' });
    return { kid, scope, n, e };
  };
  const revocations = { isRevoked: () => false, fresh: true };
  return { asked, ...createTokenVerifier({ appUrl, findKey, revocations, clock: () => target.nowSeconds * 1000 }) };
}

describe('the services’ verifier', () => {
  test('believes an honest session and an honest API key', async () => {
    const { verify } = verifier();
    expect((await verify(sign(target.system, sessionClaims(target)))).type).toBe('session');
    expect((await verify(sign(target.project, apiKeyClaims(target)))).type).toBe('apiKey');
  });

  for (const { clause, name, forge } of attacks)
    test(`RFC 8725 ${clause}: refuses ${name}`, async () => {
      const { verify, asked } = verifier();
      // The second request hits the cache of verified tokens.
      for (const token of [forge(target), forge(target)])
        await expect(verify(token)).rejects.toMatchObject({ name: 'AppError', kind: 'unauthenticated' });
      // Nothing but an id is ever looked up.
      expect(asked.every((kid) => /^[0-9a-f-]{36}$/.test(kid))).toBe(true);
    });
});
