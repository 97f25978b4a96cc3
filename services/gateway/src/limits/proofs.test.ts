import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { createLocalCounter } from '@tessera/kernel/quota';
import { createMetrics } from '@tessera/kernel/telemetry';
import type { Claims } from '@tessera/kernel/tokens';
import Fastify, { type FastifyInstance } from 'fastify';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { trustNoProxy } from '../edge/address.ts';
import { parseCorsPolicy } from '../edge/cors.ts';
import { installEdge } from '../edge/edge.ts';
import { upstreamHeaders } from '../edge/headers.ts';
import { installProofs } from './proofs.ts';

const appUrl = 'https://iam.example';
const url = `${appUrl}/api/roles`;
const key = await generateKeyPair('ES256', { extractable: true });
const other = await generateKeyPair('ES256', { extractable: true });
const jwk = await exportJWK(key.publicKey);
const keyThumbprint = await calculateJwkThumbprint(jwk);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const [token, unbound] = [`h.${encode({ cnf: { jkt: keyThumbprint } })}.bound`, `h.${encode({ sub: 'ada' })}.free`];
const now = Date.now();
const claims: Claims = { sub: 'ada', aud: 'app', iss: 'i', exp: 2, iat: 1, jti: 'j', type: 'projectApp', scopes: [] };
const counter = createLocalCounter();
const received: string[][] = [];
const replicas: FastifyInstance[] = [];

beforeAll(async () => {
  for (let count = 0; count < 2; count += 1) {
    const app = Fastify();
    const edge = { trustedProxies: trustNoProxy, cors: parseCorsPolicy(''), responseDefaults: new Map() };
    installEdge(app, edge, {
      metrics: createMetrics({ service: 'gateway', enabled: false }),
      accessLog: undefined,
    });
    const verifier = {
      verify: async (given: string) => {
        if (given === token) return { ...claims, keyThumbprint };
        if (given === unbound) return claims;
        throw failures.unauthenticated();
      },
    };
    // One counter, as the shared store is.
    installProofs(app, { appUrl, verifier, counter, clock: () => now });
    app.all('/*', async ({ raw, edge: context }) => {
      received.push(upstreamHeaders(raw.rawHeaders, raw.headers.connection, context, 'credential'));
      return {};
    });
    replicas.push(app);
  }
});
afterAll(() => Promise.all(replicas.map((app) => app.close())));

type Parts = { readonly header?: object; readonly payload?: object; readonly signer?: typeof key };
function proofOf({ header = {}, payload = {}, signer = key }: Parts = {}): Promise<string> {
  const ath = hash('sha256', token, 'base64url');
  const claimed = { jti: crypto.randomUUID(), iat: Math.floor(now / 1_000), htm: 'GET', htu: url, ath, ...payload };
  return new SignJWT(claimed).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }).sign(signer.privateKey);
}

const ask = async (headers: Readonly<Record<string, string>>, { path = '/api/roles', replica = 0 } = {}) => {
  const answer = await replicas[replica]?.inject({ method: 'GET', url: path, headers });
  return { status: answer?.statusCode, challenge: String(answer?.headers['www-authenticate'] ?? '') };
};

describe('a bound token', () => {
  test('with a proof goes on as Bearer, with the key that was proven', async () => {
    const forged = { 'x-tessera-proven-key': 'forged' };
    expect((await ask({ authorization: `DPoP ${token}`, dpop: await proofOf(), ...forged }, { path: '/api/roles?limit=1' })).status).toBe(
      200,
    );
    const headers = received.at(-1) ?? [];
    const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
    expect(pairs).toContain(`authorization: Bearer ${token}`);
    expect(pairs.filter((pair) => pair.startsWith('x-tessera-proven-key'))).toStrictEqual([`x-tessera-proven-key: ${keyThumbprint}`]);
  });

  test('as Bearer is refused with the challenge DPoP, with a proof too', async () => {
    for (const more of [{}, { dpop: await proofOf() }]) {
      const { status, challenge } = await ask({ authorization: `Bearer ${token}`, ...more });
      expect([status, challenge]).toStrictEqual([401, 'DPoP error="invalid_token", algs="ES256 RS256 PS256"']);
    }
  });

  test('of nobody, and one that is not bound, are refused with the scheme DPoP', async () => {
    for (const one of [unbound, 'a.b.c', 'x']) {
      const { status, challenge } = await ask({ authorization: `DPoP ${one}`, dpop: await proofOf() });
      expect([status, challenge.includes('invalid_token')]).toStrictEqual([401, true]);
    }
  });

  test('one that is not bound needs nothing', async () => {
    expect((await ask({ authorization: `Bearer ${unbound}` })).status).toBe(200);
    expect((await ask({})).status).toBe(200);
  });
});

describe('a proof', () => {
  test('works once, on whichever replica', async () => {
    const dpop = await proofOf();
    const answers = await Promise.all([0, 1, 0, 1].map((replica) => ask({ authorization: `DPoP ${token}`, dpop }, { replica })));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 401, 401, 401]);
  });

  const cases: Readonly<Record<string, () => Promise<string>>> = {
    'that is missing': async () => '',
    'of two minutes ago': () => proofOf({ payload: { iat: Math.floor(now / 1_000) - 61 } }),
    'of the future': () => proofOf({ payload: { iat: Math.floor(now / 1_000) + 62 } }),
    'without a time': () => proofOf({ payload: { iat: undefined } }),
    'for another method': () => proofOf({ payload: { htm: 'POST' } }),
    'for another path': () => proofOf({ payload: { htu: `${appUrl}/api/roles/x` } }),
    'for another host': () => proofOf({ payload: { htu: 'https://evil.example/api/roles' } }),
    'for another token': () => proofOf({ payload: { ath: hash('sha256', unbound, 'base64url') } }),
    'for no token': () => proofOf({ payload: { ath: undefined } }),
    'without an id': () => proofOf({ payload: { jti: '' } }),
    'with an id without end': () => proofOf({ payload: { jti: 'x'.repeat(300) } }),
    'of another key': async () => proofOf({ header: { jwk: await exportJWK(other.publicKey) }, signer: other }),
    'signed by another key': () => proofOf({ signer: other }),
    'of another type': () => proofOf({ header: { typ: 'JWT' } }),
    'with the private key': async () => proofOf({ header: { jwk: await exportJWK(key.privateKey) } }),
    'that is huge': () => proofOf({ payload: { more: 'x'.repeat(5_000) } }),
    'twice in one header': async () => `${await proofOf()}, ${await proofOf()}`,
  };
  for (const [name, make] of Object.entries(cases))
    test(`${name} is refused`, async () => {
      const { status, challenge } = await ask({ authorization: `DPoP ${token}`, dpop: await make() });
      expect([status, challenge]).toStrictEqual([401, 'DPoP error="invalid_dpop_proof", algs="ES256 RS256 PS256"']);
    });
});
