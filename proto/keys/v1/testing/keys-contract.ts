/**
 * What identity relies on of keys.v1.Keys: signing, and the keys to verify with. It runs on the
 * service itself and on the fake of it, so that a fake which drifts away fails.
 */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/keys.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;

export type KeysUnderContract = {
  readonly sign: Call<wire.SignRequest, wire.SignResponse>;
  readonly signMany: Call<wire.SignManyRequest, wire.SignManyResponse>;
  readonly getVerificationKeys: Call<wire.GetVerificationKeysRequest, wire.VerificationKeys>;
  readonly listPublishedKeys: Call<wire.ListPublishedKeysRequest, wire.VerificationKeys>;
  readonly signIdToken: Call<wire.SignIdTokenRequest, wire.SignIdTokenResponse>;
};

type Subject = {
  readonly keys: () => KeysUnderContract;
  readonly appUrl: string;
  /** The scope of a new project, `organization:project`. */
  readonly createProject: () => Promise<{ readonly tenant: string; readonly id: string }>;
};

const lifetimeSeconds = 600;
const system = { tenant: 'system', id: '' };

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(token: string, part: number): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString('utf8'));
}

function isSignedBy({ n, e }: wire.VerificationKey, signingInput: string, signature: string): boolean {
  const key = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
  return verify('RSA-SHA256', Buffer.from(signingInput), key, Buffer.from(signature, 'base64url'));
}

function session(subject: string): wire.SignRequest {
  const claimsJson = JSON.stringify({ isVerified: true, acr: 'aal1', amr: ['pwd'], auth_time: Math.floor(Date.now() / 1_000) });
  return { scope: system, type: 'session', subject, tokenId: randomUUID(), audience: '', lifetimeSeconds, claimsJson };
}

/** Registers the suite. `keys` is looked up in each test: a service starts after that. */
export function describeKeysContract({ keys, appUrl, createProject }: Subject): void {
  const keyOf = async (kid: string): Promise<wire.VerificationKey> => {
    const [key] = (await keys().getVerificationKeys({ kids: [kid] })).keys;
    if (key === undefined) throw new Error(`there is no key ${kid}`);
    return key;
  };
  const isGenuine = async (token: string): Promise<boolean> => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    return isSignedBy(await keyOf(String(decoded(token, 0)['kid'])), `${header}.${payload}`, signature);
  };

  describe('keys.v1.Keys', () => {
    test('the token of a session is the platform’s own, lives as long as asked for, and is verified by the key of its kid', async () => {
      const [subject, before] = [randomUUID(), Math.floor(Date.now() / 1_000)];
      const request = session(subject);
      const { token, kid, expiresAt } = await keys().sign(request);
      const claims = decoded(token, 1);
      expect(decoded(token, 0)).toMatchObject({ alg: 'RS256', kid });
      expect(claims).toMatchObject({ iss: appUrl, aud: appUrl, sub: subject, jti: request.tokenId, type: 'session', isVerified: true });
      expect([Number(claims['exp']) - Number(claims['iat']), claims['exp']]).toStrictEqual([lifetimeSeconds, Number(expiresAt)]);
      expect(Number(claims['iat'])).toBeGreaterThanOrEqual(before);
      expect(await isGenuine(token)).toBe(true);
      const [header, , signature] = token.split('.');
      expect(await isGenuine(`${header}.${encoded({ ...claims, sub: randomUUID() })}.${signature}`)).toBe(false);
    });

    test('of many requests each has its answer, in their order', async () => {
      const subjects = [randomUUID(), randomUUID(), randomUUID()];
      const { responses } = await keys().signMany({ requests: subjects.map(session) });
      expect(responses.map(({ token }) => decoded(token, 1)['sub'])).toStrictEqual(subjects);
      for (const { token } of responses) expect(await isGenuine(token)).toBe(true);
    });

    test('the token of a project is its issuer’s, signed by a key of its own', async () => {
      const scope = await createProject();
      const [parentId, projectId] = scope.id.split(':');
      const issuer = `${appUrl}/org/${parentId}/prj/${projectId}`;
      const userId = randomUUID();
      const claimsJson = JSON.stringify({
        scope: { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` },
        scopes: ['invoice:read'],
      });
      const request = {
        scope,
        type: 'projectApp',
        subject: userId,
        tokenId: randomUUID(),
        audience: 'an-app',
        lifetimeSeconds,
        claimsJson,
      };
      const { token, kid } = await keys().sign(request);
      expect(decoded(token, 1)).toMatchObject({ iss: issuer, aud: 'an-app', sub: userId, type: 'projectApp', scopes: ['invoice:read'] });
      expect(await keyOf(kid)).toMatchObject({ kid, issuer, scope });
      expect(await isGenuine(token)).toBe(true);
      expect(kid).not.toBe((await keys().sign(session(userId))).kid);
    });

    test('a kid that nobody has is left out', async () => {
      const { kid } = await keys().sign(session(randomUUID()));
      const found = await keys().getVerificationKeys({ kids: [randomUUID(), kid] });
      expect(found.keys.map((key) => key.kid)).toStrictEqual([kid]);
      expect((await keys().getVerificationKeys({ kids: [] })).keys).toStrictEqual([]);
    });

    test('the key that signs is the first published one, and signs ID tokens too', async () => {
      const scope = await createProject();
      const [active, ...others] = (await keys().listPublishedKeys({ scope })).keys;
      if (active === undefined) throw new Error('no key is published');
      expect([active.status, others.filter(({ status }) => status === 'active')]).toStrictEqual(['active', []]);
      const [parentId, projectId] = scope.id.split(':');
      const now = Math.floor(Date.now() / 1_000);
      const claims = { iss: `${appUrl}/org/${parentId}/prj/${projectId}`, sub: randomUUID(), aud: 'an-app', iat: now, exp: now + 300 };
      const signingInput = `${encoded({ alg: 'RS256', kid: active.kid })}.${encoded(claims)}`;
      const { signature } = await keys().signIdToken({ scope, signingInput });
      expect(isSignedBy(active, signingInput, signature)).toBe(true);
    });
  });
}
