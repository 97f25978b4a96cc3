import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { createClient } from '@tessera/client';
import { createConsoleSession, type End } from './console-session.ts';

const origin = 'https://iam.example.com';
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function tokenOf(sub: string, name: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ iat: 1_000, exp: 1_900, sub })}.${name}`;
}

/** A server where `person` is signed in, and clients of it as tabs of one browser have them. */
function browserOf(person: string | undefined) {
  const server = { person, refreshes: 0 };
  const connect = () => {
    const client = createClient({
      baseUrl: origin,
      session: 'cookie',
      fetch: async (url, init) => {
        const who = server.person;
        if (who === undefined) return Response.json({ error: 'Sign in to do this.', code: 'UNAUTHENTICATED' }, { status: 401 });
        if (url.endsWith('/refresh')) server.refreshes += 1;
        else expect(new Headers(init.headers).get('authorization')).toMatch(/^Bearer /);
        const accessToken = tokenOf(who, `number-${server.refreshes}`);
        const me = { email: `${who}@example.com`, user: { id: who, name: who } };
        return Response.json({ success: true, data: url.endsWith('/refresh') ? { accessToken, refreshToken: '' } : me });
      },
    });
    closing.push(() => client.session.close());
    return client;
  };
  return { server, connect };
}

/** The page: what its requests carried, and how the use of the session ended. */
function pageOf(connect: Parameters<typeof createConsoleSession>[0]['connect'], status = 200) {
  const sent: [string, string | null][] = [];
  const ended: End[] = [];
  const session = createConsoleSession({
    connect,
    origin,
    fetch: async (url, init) => {
      sent.push([url, new Headers(init?.headers).get('authorization')]);
      return new Response('{}', { status });
    },
    onEnd: (end) => ended.push(end),
  });
  return { session, sent, ended };
}

test('before it is begun and after it is ended, nothing is asked of the server and requests carry no token', async () => {
  const { server, connect } = browserOf('ada');
  const { session, sent, ended } = pageOf(connect);
  await session.fetch('/api/me');
  expect([server.refreshes, closing.length]).toStrictEqual([0, 0]);
  await expect(session.begin()).resolves.toBe('ada@example.com');
  session.end();
  await session.fetch('/api/me');
  expect(sent).toStrictEqual([
    ['/api/me', null],
    ['/api/me', null],
  ]);
  expect(ended).toStrictEqual(['stopped']);
});

test('only addresses of this origin get a token, and a pasted one counts', async () => {
  const { connect } = browserOf('ada');
  const { session, sent } = pageOf(connect);
  await session.begin();
  const own = `Bearer ${tokenOf('ada', 'number-1')}`;
  const others = [
    'https://evil.example/api/me',
    '//evil.example/api/me',
    '/\\evil.example/api/me',
    'https://iam.example.com.evil.example/',
    'https://iam.example.com@evil.example/',
    'https://iam.example.com:8443/api/me',
    'http://iam.example.com/api/me',
  ];
  for (const url of ['/api/me', 'graphql', `${origin}/api/me`, ...others]) await session.fetch(url);
  await session.fetch('/api/me', { headers: { Authorization: 'Bearer pasted' } });
  expect(sent).toStrictEqual([
    ['/api/me', own],
    ['graphql', own],
    [`${origin}/api/me`, own],
    ...others.map((url) => [url, null]),
    ['/api/me', 'Bearer pasted'],
  ]);
});

test('what the page gave to a request does not get the token', async () => {
  const { connect } = browserOf('ada');
  const { session } = pageOf(connect);
  await session.begin();
  const request = { method: 'POST', headers: { accept: 'application/json' } };
  await session.fetch('/api/me', request);
  expect(request).toStrictEqual({ method: 'POST', headers: { accept: 'application/json' } });
});

test('without a session it does not begin', async () => {
  const { session, sent } = pageOf(browserOf(undefined).connect);
  await expect(session.begin()).resolves.toBeUndefined();
  await session.fetch('/api/me');
  expect(sent).toStrictEqual([['/api/me', null]]);
});

test('a sign-out in another tab ends it', async () => {
  const { connect } = browserOf('ada');
  const tab = connect();
  await tab.session.token();
  const { session, sent, ended } = pageOf(connect);
  await session.begin();
  tab.session.forget();
  await sleep(50);
  await session.fetch('/api/me');
  expect([ended, sent]).toStrictEqual([['signed-out'], [['/api/me', null]]]);
});

test('a sign-in of another person in another tab ends it: nobody acts as somebody whom the page does not name', async () => {
  const { connect } = browserOf('ada');
  const tab = connect();
  await tab.session.token();
  const { session, sent, ended } = pageOf(connect);
  await session.begin();
  tab.session.start({ accessToken: tokenOf('eve', 'other') });
  await sleep(50);
  await session.fetch('/api/me');
  expect([ended, sent]).toStrictEqual([['another-person'], [['/api/me', null]]]);
});

test('a request that is refused has the session asked for again, so that an end elsewhere is seen', async () => {
  const { server, connect } = browserOf('ada');
  const { session, ended } = pageOf(connect, 401);
  await session.begin();
  server.person = undefined;
  await session.fetch('/api/auth/logout');
  await sleep(50);
  expect(ended).toStrictEqual(['signed-out']);
});

test('tabs share one refresh: the page takes the token that the console has', async () => {
  const { server, connect } = browserOf('ada');
  await connect().session.token();
  const { session, sent } = pageOf(connect);
  await session.begin();
  await session.fetch('/api/me');
  expect(sent).toStrictEqual([['/api/me', `Bearer ${tokenOf('ada', 'number-1')}`]]);
  expect(server.refreshes).toBe(1);
});
