import { expect, test } from '@jest/globals';
import fastify from 'fastify';
import type { Claims } from './claims.ts';
import { KeysUnavailable, TokenRefused } from './errors.ts';
import { claimsOf as expressClaims, requireToken as expressGuard } from './express.ts';
import { claimsOf, requireToken } from './fastify.ts';
import { requireToken as honoGuard } from './hono.ts';
import type { Verifier } from './verifier.ts';
import { claimsOf as webClaims, withToken } from './web.ts';

const claims: Claims = { sub: 'u', aud: 'a', iss: 'i', exp: 2, iat: 1, jti: 'j', type: 'session' };
const verifier: Verifier = {
  async verify(token) {
    if (token === 'good.token.here') return claims;
    if (token === 'no.keys.now') throw new KeysUnavailable('https://iam.example');
    throw new TokenRefused('signature');
  },
};

const cases = [
  { name: 'a valid token', authorization: 'Bearer good.token.here', status: 200, challenge: undefined },
  { name: 'the scheme in any case', authorization: 'bearer good.token.here', status: 200, challenge: undefined },
  { name: 'no header', authorization: undefined, status: 401, challenge: 'Bearer' },
  { name: 'another scheme', authorization: 'Basic good.token.here', status: 401, challenge: 'Bearer' },
  { name: 'a refused token', authorization: 'Bearer bad.token.here', status: 401, challenge: 'Bearer error="invalid_token"' },
  { name: 'keys that cannot be read', authorization: 'Bearer no.keys.now', status: 503, challenge: undefined },
] as const;

for (const { name, authorization, status, challenge } of cases) {
  test(`Fastify: ${name} → ${status}`, async () => {
    const app = fastify();
    app.addHook('onRequest', requireToken(verifier));
    app.get('/', async (request) => ({ sub: claimsOf(request).sub }));
    const response = await app.inject({ url: '/', headers: authorization === undefined ? {} : { authorization } });
    expect(response.statusCode).toBe(status);
    expect(response.headers['www-authenticate']).toBe(challenge);
    if (status === 200) expect(response.json()).toStrictEqual({ sub: 'u' });
    await app.close();
  });

  test(`Express: ${name} → ${status}`, async () => {
    const request = { headers: { authorization } };
    const answered = await new Promise<{ status: number; challenge: string | undefined }>((resolve, reject) => {
      let code = 200;
      let sent: Record<string, string> = {};
      const response = {
        status(value: number) {
          code = value;
          return response;
        },
        set(values: Record<string, string>) {
          sent = values;
          return response;
        },
        json: () => resolve({ status: code, challenge: sent['www-authenticate'] }),
      };
      expressGuard(verifier)(request, response, (error) =>
        error === undefined ? resolve({ status: 200, challenge: undefined }) : reject(error),
      );
    });
    expect(answered).toStrictEqual({ status, challenge });
    if (status === 200) expect(expressClaims(request).sub).toBe('u');
  });

  const requestOf = () => new Request('http://127.0.0.1/', { headers: authorization === undefined ? {} : { authorization } });

  test(`Next.js and other web handlers: ${name} → ${status}`, async () => {
    const handler = withToken(verifier, (request, { id }: { id: string }) => Response.json({ sub: webClaims(request).sub, id }));
    const response = await handler(requestOf(), { id: 'one' });
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate') ?? undefined).toBe(challenge);
    if (status === 200) expect(await response.json()).toStrictEqual({ sub: 'u', id: 'one' });
  });

  test(`Hono: ${name} → ${status}`, async () => {
    const kept: Claims[] = [];
    const context = { req: { raw: requestOf() }, set: (_: 'claims', value: Claims) => void kept.push(value) };
    let isNext = false;
    const response = await honoGuard(verifier)(context, async () => {
      isNext = true;
    });
    expect(response?.status ?? 200).toBe(status);
    expect(isNext).toBe(status === 200);
    expect(kept).toStrictEqual(status === 200 ? [claims] : []);
  });
}
