import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import fastify from 'fastify';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { authenticate } from './bearer.ts';
import type { Claims } from './claims.ts';
import { TokenRefused } from './errors.ts';
import { requireToken as expressGuard, protectedResource as expressMetadata } from './express.ts';
import { requireToken as fastifyGuard, protectedResource as fastifyMetadata } from './fastify.ts';
import { checkProof, createProofMemory } from './proof.ts';
import { metadataUrlOf } from './resource.ts';
import type { Verifier } from './verifier.ts';
import { protectedResource as webMetadata, withToken } from './web.ts';

const [token, url, nowMs] = ['a.b.c', 'https://orders.example/mcp', 1_800_000_000_000];
const key = await generateKeyPair('ES256', { extractable: true });
const other = await generateKeyPair('ES256', { extractable: true });
const jwk = await exportJWK(key.publicKey);
const keyThumbprint = await calculateJwkThumbprint(jwk);

type Parts = { readonly header?: object; readonly payload?: object; readonly signer?: typeof key };
function proofOf({ header = {}, payload = {}, signer = key }: Parts = {}): Promise<string> {
  const ath = hash('sha256', token, 'base64url');
  const claimed = { jti: crypto.randomUUID(), iat: nowMs / 1_000, htm: 'POST', htu: url, ath, ...payload };
  return new SignJWT(claimed).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }).sign(signer.privateKey);
}

const memory = createProofMemory(() => nowMs);
const check = async (proof: string | undefined) =>
  checkProof({ proof, method: 'POST', url: `${url}?x=1` }, { token, keyThumbprint }, { nowMs, isNew: memory }).then(
    () => 'accepted',
    (error: TokenRefused) => error.reason,
  );

describe('DPoP proofs', () => {
  test('one is accepted once', async () => {
    const proof = await proofOf();
    expect([await check(proof), await check(proof)]).toStrictEqual(['accepted', 'proof']);
  });

  const cases: Readonly<Record<string, () => Promise<string | undefined>>> = {
    none: async () => undefined,
    'an old one': () => proofOf({ payload: { iat: nowMs / 1_000 - 61 } }),
    'one of the future': () => proofOf({ payload: { iat: nowMs / 1_000 + 61 } }),
    'another method': () => proofOf({ payload: { htm: 'GET' } }),
    'another address': () => proofOf({ payload: { htu: `${url}/x` } }),
    'another token': () => proofOf({ payload: { ath: hash('sha256', 'other', 'base64url') } }),
    'another key': async () => proofOf({ header: { jwk: await exportJWK(other.publicKey) }, signer: other }),
    'another signer': () => proofOf({ signer: other }),
    'another type': () => proofOf({ header: { typ: 'JWT' } }),
    'the private key': async () => proofOf({ header: { jwk: await exportJWK(key.privateKey) } }),
    'no id': () => proofOf({ payload: { jti: '' } }),
  };
  for (const [name, make] of Object.entries(cases)) test(`${name} is refused`, async () => expect(await check(await make())).toBe('proof'));

  test('the memory is bounded by time', () => {
    let now = 0;
    const isNew = createProofMemory(() => now);
    expect([isNew('a', 10), isNew('a', 10)]).toStrictEqual([true, false]);
    now = 10_001;
    expect(isNew('a', 10)).toBe(true);
  });
});

const claims: Claims = {
  sub: 'u',
  aud: 'app',
  resource: url,
  iss: 'i',
  exp: 2,
  iat: 1,
  jti: 'j',
  type: 'projectApp',
  scopes: ['order:read'],
};
const seen: unknown[] = [];
const verifier: Verifier = {
  async verify(given, options = {}) {
    seen.push(options.dpop);
    if (given === 'other.api.token') return { ...claims, resource: 'https://invoices.example' };
    if (given === 'no.resource.token') return { ...claims, resource: undefined } as never;
    if (given === 'bound.key.token' && options.dpop === undefined) throw new TokenRefused('proof');
    if (given === 'bad.one.token') throw new TokenRefused('signature');
    return claims;
  },
};
const resource = { resource: url, authorizationServers: ['https://iam.example/org/a/prj/b'], scopesSupported: ['order:read'] };
const metadata = 'https://orders.example/.well-known/oauth-protected-resource/mcp';

describe('a protected resource', () => {
  const answers: readonly (readonly [string, string | undefined, string[], number, string])[] = [
    ['no token', undefined, [], 401, `Bearer resource_metadata="${metadata}"`],
    ['its own token', 'Bearer its.own.token', ['order:read'], 200, ''],
    ['a token for another API', 'Bearer other.api.token', [], 401, `Bearer error="invalid_token", resource_metadata="${metadata}"`],
    ['a token for the app alone', 'Bearer no.resource.token', [], 401, `Bearer error="invalid_token", resource_metadata="${metadata}"`],
    [
      'a token without the scope',
      'Bearer its.own.token',
      ['order:read', 'order:write'],
      403,
      `Bearer error="insufficient_scope", scope="order:read order:write", resource_metadata="${metadata}"`,
    ],
    [
      'a bound token as Bearer',
      'Bearer bound.key.token',
      [],
      401,
      `DPoP error="invalid_token", algs="ES256 RS256 PS256", resource_metadata="${metadata}"`,
    ],
    ['a bound token as DPoP', 'DPoP bound.key.token', [], 200, ''],
  ];
  for (const [name, authorization, scopes, status, challenge] of answers)
    test(`${name} → ${status}, in Fastify, Express and web handlers`, async () => {
      const rules = { resource: url, scopes };
      const headers = { ...(authorization === undefined ? {} : { authorization }), dpop: 'proof' };
      const app = fastify();
      app.addHook('onRequest', fastifyGuard(verifier, rules));
      app.post('/mcp', async () => ({}));
      const inFastify = await app.inject({ method: 'POST', url: '/mcp?x=1', headers });
      expect([inFastify.statusCode, inFastify.headers['www-authenticate'] ?? '']).toStrictEqual([status, challenge]);
      await app.close();
      const inWeb = await withToken(
        verifier,
        () => new Response(),
        rules,
      )(new Request('http://inside/mcp?x=1', { method: 'POST', headers }));
      expect([inWeb.status, inWeb.headers.get('www-authenticate') ?? '']).toStrictEqual([status, challenge]);
      await using server = await serve(
        express()
          .use(expressGuard(verifier, rules))
          .post('/mcp', (_request, response) => void response.json({})),
      );
      const inExpress = await fetch(`${server.origin}/mcp?x=1`, { method: 'POST', headers });
      expect([inExpress.status, inExpress.headers.get('www-authenticate') ?? '']).toStrictEqual([status, challenge]);
      const proofs = seen.splice(0).filter((proof) => proof !== undefined);
      const asked = { proof: 'proof', method: 'POST', url: `${url}?x=1` };
      expect(proofs).toStrictEqual(authorization?.startsWith('DPoP') ? [asked, asked, asked] : []);
    });

  test('a 401 has the word Unauthorized in its body: behind a proxy that drops the status, an MCP client finds it by that', async () => {
    const outcome = await authenticate(verifier, { authorization: undefined, method: 'POST', url: '/mcp' }, { resource: url });
    expect(outcome).toMatchObject({ status: 401, body: { error: expect.stringContaining('Unauthorized'), code: 'UNAUTHENTICATED' } });
  });

  test('the address that a proof is for is never taken from the request’s own Host or target', async () => {
    const origin = 'https://api.example.com';
    const targets = ['/mcp?x=1', '//evil.example/mcp?x=1', '/\\evil.example/mcp', '/../..//evil.example/mcp'];
    for (const [rules, host] of [
      [{ resource: url }, 'https://orders.example'],
      [{ origin: `${origin}/` }, origin],
      [{ resource: url, origin }, origin],
    ] as const) {
      const proven = await proofUrls(rules, targets);
      expect(proven.map((one) => new URL(one).origin)).toStrictEqual(proven.map(() => host));
      expect(proven.filter((one) => one === `${host}/mcp?x=1`)).toHaveLength(3);
      expect(proven.filter((one) => one === `${host}//evil.example/mcp?x=1`)).toHaveLength(3);
    }
  });

  test('without resource or origin no proof is accepted, because nothing but the caller says where it went', async () => {
    expect(await proofUrls({}, ['/mcp'])).toStrictEqual([]);
    const statuses = await callAll({}, '/mcp', { authorization: 'DPoP bound.key.token', dpop: 'proof' });
    expect(statuses).toStrictEqual(Array.from({ length: 3 }, () => [401, 'Bearer error="invalid_token"']));
    const asBearer = await callAll({}, '/mcp', { authorization: 'Bearer bound.key.token' });
    expect(asBearer).toStrictEqual(statuses);
  });

  test('a request with an absolute target, or with one that is no path, is for the origin that the route names', async () => {
    const call = { authorization: 'DPoP bound.key.token', dpop: 'proof', method: 'POST' };
    for (const target of ['http://evil.example/mcp', '*', '@evil.example/mcp', '.evil.example/mcp', 'x:evil.example', ''])
      await authenticate(verifier, { ...call, url: target }, { resource: url });
    expect(takeUrls()).toStrictEqual([url, '', '', '', '', '']);
  });

  test('says whose tokens it takes, at the address that its challenge names', async () => {
    const said = {
      resource: url,
      authorization_servers: resource.authorizationServers,
      scopes_supported: ['order:read'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'RS256', 'PS256'],
    };
    expect(await webMetadata(resource)().json()).toStrictEqual(said);
    const app = fastify();
    await app.register(fastifyMetadata(resource));
    const path = new URL(metadata).pathname;
    const inFastify = await app.inject({ url: path });
    expect([inFastify.json(), inFastify.headers['access-control-allow-origin']]).toStrictEqual([said, '*']);
    await app.close();
    await using server = await serve(
      express()
        .use(expressMetadata(resource))
        .use(expressGuard(verifier, { resource: url })),
    );
    expect(await (await fetch(server.origin + path)).json()).toStrictEqual(said);
    expect((await fetch(`${server.origin}/mcp`)).status).toBe(401);
    expect([metadataUrlOf('https://orders.example'), metadataUrlOf('https://orders.example/')]).toStrictEqual(
      Array.from({ length: 2 }, () => 'https://orders.example/.well-known/oauth-protected-resource'),
    );
    expect(() => webMetadata({ ...resource, authorizationServers: [] })).toThrow(TypeError);
    expect(() => webMetadata({ ...resource, resource: `${url}#x` })).toThrow(TypeError);
  });
});

type Rules = Parameters<typeof fastifyGuard>[1];

/** What Fastify, a web handler and Express answer. */
async function callAll(rules: Rules, target: string, headers: Record<string, string>) {
  const app = fastify();
  app.addHook('onRequest', fastifyGuard(verifier, rules));
  const inFastify = await app.inject({ method: 'POST', url: target, headers });
  await app.close();
  const handler = withToken(verifier, () => new Response(), rules);
  const inWeb = await handler(new Request(`http://inside${target}`, { method: 'POST', headers }));
  await using server = await serve(
    express()
      .use(expressGuard(verifier, rules))
      .use((_request, response) => void response.json({})),
  );
  const inExpress = await fetch(`${server.origin}${target}`, { method: 'POST', headers });
  return [
    [inFastify.statusCode, inFastify.headers['www-authenticate']],
    [inWeb.status, inWeb.headers.get('www-authenticate')],
    [inExpress.status, inExpress.headers.get('www-authenticate')],
  ];
}

/** The addresses of which the verifier was to see a proof, over all frameworks. */
async function proofUrls(rules: Rules, targets: readonly string[]): Promise<readonly string[]> {
  for (const target of targets) await callAll(rules, target, { authorization: 'DPoP bound.key.token', dpop: 'proof' });
  return takeUrls();
}

function takeUrls(): readonly string[] {
  return seen.splice(0).flatMap((proof) => (proof === undefined ? [] : [(proof as { readonly url: string }).url]));
}

async function serve(app: ReturnType<typeof express>) {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
