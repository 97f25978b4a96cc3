import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { type ClientOptions, createClient, createDpopKey, TesseraError } from './index.ts';
import { createSession, type Tokens } from './session.ts';

type Asked = { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: unknown };
type Reply = { readonly status?: number; readonly body: unknown; readonly headers?: Record<string, string> };

/** A client of a server that answers as the test says. */
function clientOf(answer: (asked: Asked, count: number) => Reply | Promise<Reply>, options: ClientOptions = {}) {
  const asked: Asked[] = [];
  const client = createClient({
    baseUrl: 'https://iam.example.com/',
    ...options,
    fetch: async (url, { method = '', headers, body }) => {
      const one = { method, url, headers: new Headers(headers), body: body === undefined ? undefined : JSON.parse(String(body)) };
      asked.push(one);
      const { status = 200, body: sent, headers: received = {} } = await answer(one, asked.length);
      return Response.json(sent, { status, headers: received });
    },
  });
  return { client, asked };
}

function jwt(name: string, seconds = 900, sub = 'ada'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ iat: 1_000, exp: 1_000 + seconds, jti: name, sub })}.${name}`;
}
function data(value: unknown): Reply {
  return { body: { success: true, data: value } };
}
const refused: Reply = { status: 401, body: { error: 'Sign in to do this.', code: 'UNAUTHENTICATED' } };
const credentials = { provider: 'email', providerId: 'ada@example.com', providerData: { password: 'x' } } as const;

test('an operation fills its path, joins lists, and sends a scope as two parameters', async () => {
  const { client, asked } = clientOf(() => data({}), { session: async () => 'a token' });
  const scope = { tenant: 'organization', id: 'o1' } as const;
  await client.listRoles({ scope, ids: ['1', '2'], search: undefined });
  await client.updateRole({ scope, id: 'a/b', name: 'Editor' });
  await client.deleteRole({ scope, id: 'r1', hardDelete: true });
  expect(asked.map(({ method, url, body }) => [method, url, body])).toStrictEqual([
    ['GET', 'https://iam.example.com/api/roles?scopeId=o1&tenant=organization&ids=1%2C2', undefined],
    ['PATCH', 'https://iam.example.com/api/roles/a%2Fb', { scope, name: 'Editor' }],
    ['DELETE', 'https://iam.example.com/api/roles/r1?scopeId=o1&tenant=organization&hardDelete=true', undefined],
  ]);
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer a token');
});

test('a list is one page when awaited, and all items when iterated', async () => {
  const { client, asked } = clientOf(({ url }) => {
    const page = Number(new URL(url).searchParams.get('page') ?? 1);
    return data({ items: [{ id: `${page}a` }, { id: `${page}b` }], totalCount: 6, hasNextPage: page < 3 });
  });
  const scope = { tenant: 'account', id: 'a1' } as const;
  const ids: string[] = [];
  for await (const { id } of client.listProjects({ scope })) ids.push(id);
  expect(ids).toStrictEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
  expect((await client.listProjects({ scope, page: 2 })).items.map(({ id }) => id)).toStrictEqual(['2a', '2b']);
  expect(asked).toHaveLength(4);
});

test('a refusal is a TesseraError with the code, the field and the text of the server', async () => {
  const extensions = { field: 'providerId', reason: 'is required' };
  const { client } = clientOf(() => ({
    status: 400,
    headers: { 'x-request-id': 'r1' },
    body: { error: 'The field is not valid.', code: 'VALIDATION_ERROR', extensions, translationKey: 'errors.validation' },
  }));
  const error = await client.login(credentials).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TesseraError);
  expect(error).toMatchObject({
    message: 'The field is not valid.',
    status: 400,
    code: 'VALIDATION_ERROR',
    field: 'providerId',
    translationKey: 'errors.validation',
    requestId: 'r1',
  });
});

test('the body of the limiter is read too, with the seconds to wait', async () => {
  const body = { success: false, error: { code: 'rate_limit_exceeded', message: 'Too many requests.' }, code: 'RATE_LIMIT_EXCEEDED' };
  const { client } = clientOf(() => ({ status: 429, headers: { 'retry-after': '7' }, body }));
  await expect(client.login(credentials)).rejects.toMatchObject({
    message: 'Too many requests.',
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 7,
  });
});

test('a server that can not be reached is a NETWORK_ERROR, one that is too slow a TIMEOUT; an abort stays an abort', async () => {
  const down = createClient({ baseUrl: 'https://x.example', fetch: () => Promise.reject(new TypeError('failed')) });
  await expect(down.login(credentials)).rejects.toMatchObject({ code: 'NETWORK_ERROR', status: 0 });
  const hangs = (_url: string, { signal }: RequestInit) =>
    new Promise<Response>((_, fail) => {
      if (signal?.aborted) fail(signal.reason);
      signal?.addEventListener('abort', () => fail(signal.reason));
    });
  const slow = createClient({ baseUrl: 'https://x.example', timeoutMs: 10, fetch: hangs });
  await expect(slow.login(credentials)).rejects.toMatchObject({ code: 'TIMEOUT' });
  const stopped = createClient({ baseUrl: 'https://x.example', fetch: hangs }).login(credentials, { signal: AbortSignal.abort() });
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
});

test('an expired token is renewed once for all requests that wait for it, and the request is sent again', async () => {
  const { client, asked } = clientOf(async ({ url, headers }) => {
    if (url.endsWith('/login')) return data({ accessToken: jwt('old'), refreshToken: 'r1' });
    if (url.endsWith('/refresh')) {
      await sleep(20);
      return data({ accessToken: jwt('new'), refreshToken: 'r2' });
    }
    return headers.get('authorization')?.endsWith('.new') ? data({ email: 'ada@example.com' }) : refused;
  });
  await client.login(credentials);
  const answers = await Promise.all([client.getMe(), client.getMe(), client.getMe()]);
  expect(answers.map(({ email }) => email)).toStrictEqual(Array(3).fill('ada@example.com'));
  expect(asked.filter(({ url }) => url.endsWith('/refresh')).map(({ body }) => body)).toStrictEqual([{ refreshToken: 'r1' }]);
  expect(client.session.state).toBe('signed-in');
});

test('a read that accepts the past says so, and others do not', async () => {
  const said: (string | null)[] = [];
  const { client } = clientOf(({ headers }) => {
    said.push(headers.get('cache-control'));
    return data({ items: [], totalCount: 0, hasNextPage: false });
  });
  await client.listMySessions({}, { maxStaleSeconds: 5 });
  await client.listMySessions();
  expect(said).toStrictEqual(['max-stale=5', null]);
});

test('a wrong password of a session is sent once: it would count again', async () => {
  const wrong: Reply = { status: 401, body: { error: 'Wrong.', code: 'UNAUTHENTICATED', translationKey: 'errors.auth.wrongSecondFactor' } };
  const { client, asked } = clientOf(({ url }) => (url.endsWith('/login') ? data({ accessToken: jwt('a'), refreshToken: 'r1' }) : wrong));
  await client.login(credentials);
  await expect(client.confirmIdentity({ method: 'password', password: 'x' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(asked.map(({ url }) => url.slice(url.lastIndexOf('/')))).toStrictEqual(['/login', '/confirm']);
});

describe('where the server asks for a proof', () => {
  const stale: Reply = { status: 403, body: { error: 'Prove it.', code: 'FRESH_SIGN_IN_REQUIRED' } };
  /** `isProven` says what the server thinks after the question, `says` what `prove` answers. */
  const cases = [
    { says: true, isProven: true, requests: 2, outcome: 'Ada' },
    { says: true, isProven: false, requests: 2, outcome: 'FRESH_SIGN_IN_REQUIRED' },
    { says: false, isProven: true, requests: 1, outcome: 'FRESH_SIGN_IN_REQUIRED' },
    { says: undefined, isProven: true, requests: 1, outcome: 'FRESH_SIGN_IN_REQUIRED' },
  ];
  for (const { says, isProven, requests, outcome } of cases)
    test(`prove answers ${says}, ${isProven ? 'rightly' : 'wrongly'}: ${requests} requests, then ${outcome}`, async () => {
      let isAsked = false;
      const prove = async () => {
        isAsked = true;
        return says === true;
      };
      const options = { session: async () => 'a token', ...(says === undefined ? {} : { prove }) };
      const { client, asked } = clientOf(() => (isAsked && isProven ? data({ name: 'Ada' }) : stale), options);
      const answer = client.updateMe({ name: 'Ada' }).then(
        () => 'Ada',
        (error: TesseraError) => error.code,
      );
      expect([await answer, asked.length]).toStrictEqual([outcome, requests]);
    });
});

test('a session that the server has ended is signed out, without a loop', async () => {
  const { client, asked } = clientOf(({ url }) => (url.endsWith('/login') ? data({ accessToken: jwt('a'), refreshToken: 'r1' }) : refused));
  const states: string[] = [];
  client.session.subscribe((state) => states.push(state));
  await client.login(credentials);
  await expect(client.getMe()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(client.getMe()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(states).toStrictEqual(['signed-in', 'signed-out']);
  expect(asked.map(({ url }) => url.slice(url.lastIndexOf('/')))).toStrictEqual(['/login', '/me', '/refresh', '/me']);
});

test('tabs refresh once: the one that waited takes the token of the other, and all sign out together', async () => {
  let renewals = 0;
  const tab = () =>
    createSession({
      sharedName: 'one origin',
      renew: async () => {
        renewals++;
        await sleep(30);
        return { accessToken: jwt(`token ${renewals}`) };
      },
    });
  const [first, second] = [tab(), tab()];
  expect(await Promise.all([first.token(), second.token()])).toStrictEqual([jwt('token 1'), jwt('token 1')]);
  const late = tab();
  expect(await late.token()).toBe(jwt('token 1'));
  expect(renewals).toBe(1);
  first.forget();
  await sleep(30);
  expect([second.state, late.state, await late.token()]).toStrictEqual(['signed-out', 'signed-out', undefined]);
  for (const one of [first, second, late]) one.close();
});

describe('another sign-in while the token of the first is renewed', () => {
  const answers = { right: { accessToken: jwt('late'), refreshToken: 'of ada' }, refused: undefined };
  for (const [name, answer] of Object.entries(answers))
    test(`a renewal that ends later changes nothing, ${name}`, async () => {
      const renewal = Promise.withResolvers<Tokens | undefined>();
      const asked: unknown[] = [];
      const renew = (refreshToken: string | undefined) => {
        asked.push(refreshToken);
        return renewal.promise;
      };
      const session = createSession({ renew });
      session.start({ accessToken: jwt('first', 1), refreshToken: 'r1' });
      const waiting = session.token();
      session.start({ accessToken: jwt('other', 900, 'bob'), refreshToken: 'r2' });
      renewal.resolve(answer);
      expect(await waiting).toBe(jwt('other', 900, 'bob'));
      expect([session.state, session.userId, await session.token()]).toStrictEqual(['signed-in', 'bob', jwt('other', 900, 'bob')]);
      await session.refresh();
      expect(asked).toStrictEqual(['r1', 'r2']);
    });

  test('who signed out stays signed out', async () => {
    const renewal = Promise.withResolvers<Tokens>();
    const session = createSession({ renew: () => renewal.promise });
    session.start({ accessToken: jwt('first', 1), refreshToken: 'r1' });
    const waiting = session.token();
    session.forget();
    renewal.resolve({ accessToken: jwt('late'), refreshToken: 'r2' });
    expect([await waiting, session.state, session.userId]).toStrictEqual([undefined, 'signed-out', undefined]);
  });

  test('what one person asked for is not sent again as another', async () => {
    const written = Promise.withResolvers<Reply>();
    const tokens = { ada: jwt('a'), bob: jwt('b', 900, 'bob') };
    const { client, asked } = clientOf(({ url, body }) => {
      if (!url.endsWith('/login')) return written.promise;
      const { providerId } = body as typeof credentials;
      return data({ accessToken: providerId === credentials.providerId ? tokens.ada : tokens.bob, refreshToken: 'r' });
    });
    await client.login(credentials);
    const change = client.updateMe({ name: 'Ada' });
    await client.login({ ...credentials, providerId: 'bob@example.com' });
    written.resolve(refused);
    await expect(change).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const sent = asked.filter(({ method }) => method === 'PATCH').map(({ headers }) => headers.get('authorization'));
    expect(sent).toStrictEqual([`Bearer ${tokens.ada}`]);
    expect(client.session.userId).toBe('bob');
  });
});

test('an API key is exchanged for a token, and again when that has expired', async () => {
  const session = { clientId: 'key', clientSecret: 'secret', scope: { tenant: 'organizationProject', id: 'o:p' } } as const;
  const { client, asked } = clientOf(
    ({ url }, count) =>
      url.endsWith('/token') ? data({ accessToken: jwt(`t${count}`, count < 3 ? 1 : 900), expiresIn: 1 }) : data({ items: [] }),
    { session },
  );
  await client.listAccounts();
  await client.listAccounts();
  await client.listAccounts();
  expect(asked.map(({ url }) => url.slice(url.lastIndexOf('/')))).toStrictEqual([
    '/token',
    '/accounts',
    '/token',
    '/accounts',
    '/accounts',
  ]);
});

test('a read sends the consistency tokens of the writes before it', async () => {
  const { client, asked } = clientOf(
    ({ method }, count) => ({ ...data({ items: [] }), headers: method === 'POST' ? { 'x-consistency-token': `w${count}` } : {} }),
    { session: async () => 'token' },
  );
  const scope = { tenant: 'organization', id: 'o1' } as const;
  await client.createTag({ scope, name: 'a', color: 'red' });
  await client.createTag({ scope, name: 'b', color: 'red' });
  await client.listTags({ scope });
  expect(asked[2]?.headers.get('x-consistency-token')).toBe('w2.w1');
});

test('http is refused but for this machine, unless it is allowed', () => {
  for (const baseUrl of ['http://iam.example.com', 'http://10.0.0.1:3000', 'HTTP://iam.example.com', 'http://localhost.example.com'])
    expect(() => createClient({ baseUrl })).toThrow('must be an https address, or set allowPlainHttp');
  for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'https://iam.example.com', ''])
    expect(() => createClient({ baseUrl })).not.toThrow();
  expect(() => createClient({ baseUrl: 'http://iam.example.com', allowPlainHttp: true })).not.toThrow();
});

test('a token that is bound to a key goes out with a new proof for each request', async () => {
  const dpopKey = await createDpopKey();
  const { client, asked } = clientOf(() => data({}), { session: async () => 'a token', dpopKey });
  await client.listRoles({ scope: { tenant: 'organization', id: 'o1' } });
  await client.listRoles({ scope: { tenant: 'organization', id: 'o1' } });
  expect(asked[0]?.headers.get('authorization')).toBe('DPoP a token');
  const [first, second] = await Promise.all(
    asked.map(({ headers }) => jwtVerify(headers.get('dpop') ?? '', EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ['ES256'] })),
  );
  expect(first?.payload).toMatchObject({
    htm: 'GET',
    htu: 'https://iam.example.com/api/roles',
    ath: hash('sha256', 'a token', 'base64url'),
  });
  expect(first?.payload.jti).not.toBe(second?.payload.jti);
  expect(await calculateJwkThumbprint(first?.protectedHeader.jwk ?? {})).toBe(dpopKey.thumbprint);
});
