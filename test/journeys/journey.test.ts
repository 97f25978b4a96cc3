import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { type Answer, createClient } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';

const PASSWORD = 'Correct-Horse7!';

const stack = await openStack();
const client = createClient(stack.url, `journey ${randomUUID()}`);

/** One step of the journey in either transport; both answer with the REST data's shape. */
type Transport = {
  readonly name: string;
  register(email: string): Promise<Answer['body']>;
  verify(token: string): Promise<Answer['body']>;
  login(email: string): Promise<Answer['body']>;
  me(token: string): Promise<Answer['body']>;
  refresh(accessToken: string, refreshToken: string): Promise<Answer['body']>;
  sessions(token: string): Promise<Answer['body']>;
  revoke(token: string, id: string): Promise<Answer['body']>;
  /** The code of a refusal. */
  refusal(token: string): Promise<string>;
};

function credentials(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
}

function data({ status, body }: Answer, expected = 200) {
  expect(status).toStrictEqualFor(body, expected);
  expect(body.success).toBe(true);
  return body.data;
}

const rest: Transport = {
  name: 'REST',
  register: async (email) => data(await client.post('/api/auth/register', { name: 'Ada', ...credentials(email) }), 201),
  verify: async (token) => data(await client.post('/api/auth/verify-email', { token })),
  login: async (email) => data(await client.post('/api/auth/login', credentials(email))),
  me: async (token) => data(await client.get('/api/me', token)),
  refresh: async (accessToken, refreshToken) => data(await client.post('/api/auth/refresh', { accessToken, refreshToken })),
  sessions: async (token) => data(await client.get('/api/me/sessions', token)).items,
  revoke: async (token, id) => data(await client.delete(`/api/me/sessions/${id}`, token)),
  refusal: async (token) => (await client.get('/api/me', token)).body.code,
};

async function field(name: string, query: string, variables: object, token?: string) {
  const { status, body } = await client.graphql(query, variables, token);
  expect(status).toStrictEqualFor(body, 200);
  expect(body.errors).toBeUndefined();
  return body.data[name];
}

const graphql: Transport = {
  name: 'GraphQL',
  register: (email) =>
    field(
      'register',
      'mutation($input: RegisterInput!) { register(input: $input) { account { id type ownerId } accessToken refreshToken requiresEmailVerification verificationExpiry } }',
      { input: { name: 'Ada', ...credentials(email) } },
    ),
  verify: (token) =>
    field('verifyEmail', 'mutation($input: VerifyEmailInput!) { verifyEmail(input: $input) { success } }', { input: { token } }),
  login: (email) =>
    field(
      'login',
      'mutation($input: LoginInput!) { login(input: $input) { accessToken refreshToken requiresEmailVerification accounts { id type ownerId } } }',
      { input: credentials(email) },
    ),
  me: (token) => field('me', '{ me { user { id name } accounts { id type ownerId } email isVerified } }', {}, token),
  refresh: (accessToken, refreshToken) =>
    field('refreshSession', 'mutation($input: RefreshSessionInput!) { refreshSession(input: $input) { accessToken refreshToken } }', {
      input: { accessToken, refreshToken },
    }),
  sessions: async (token) =>
    (
      await field(
        'myUserSessions',
        'query($input: MyUserSessionsInput!) { myUserSessions(input: $input) { myUserSessions { id isCurrent userAgent } totalCount } }',
        { input: {} },
        token,
      )
    ).myUserSessions,
  revoke: (token, id) =>
    field(
      'revokeMyUserSession',
      'mutation($input: RevokeMyUserSessionInput!) { revokeMyUserSession(input: $input) { revoked } }',
      { input: { id } },
      token,
    ),
  refusal: async (token) => {
    const { body } = await client.graphql('{ me { email } }', {}, token);
    return body.errors?.[0].extensions.code;
  },
};

for (const transport of [rest, graphql])
  describe(`the journey over ${transport.name}`, () => {
    test('register → mail → verify → login → me → refresh → sessions → revoke → refused [spec:auth.2 spec:service.2 spec:service.4 spec:service.10]', async () => {
      const email = `ada-${randomUUID()}@example.com`;
      const registered = await transport.register(email);
      expect(registered.requiresEmailVerification).toBe(true);
      expect(registered.account.type).toBe('personal');

      const unverified = await transport.me(registered.accessToken);
      expect([unverified.email, unverified.isVerified]).toStrictEqual([email, false]);

      const mail = await waitForMail(stack.dataDir, email);
      assert.ok(mail.data.token);
      await transport.verify(mail.data.token);

      // A stale bearer token spoils nothing: the accounts come from another service.
      const stale = await client.graphql(
        'mutation($input: LoginInput!) { login(input: $input) { accounts { id ownerId } } }',
        { input: credentials(email) },
        'stale.bearer.token',
      );
      expect([stale.body.errors, stale.body.data?.login.accounts.length]).toStrictEqual([undefined, 1]);
      const session = await transport.login(email);
      expect(session.requiresEmailVerification).toBe(false);
      expect(session.accounts[0].id).toBe(registered.account.id);
      const me = await transport.me(session.accessToken);
      expect(me.isVerified).toBe(true);
      expect(me.accounts[0].ownerId).toBe(me.user.id);

      const keys = createRemoteJWKSet(new URL(`${stack.url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(session.accessToken, keys, {
        issuer: stack.url,
        audience: stack.url,
        algorithms: ['RS256'],
      });
      expect([payload.sub, payload.type, payload.isVerified, protectedHeader.typ]).toStrictEqual([me.user.id, 'session', true, 'JWT']);

      const refreshed = await transport.refresh(session.accessToken, session.refreshToken);
      expect(refreshed.refreshToken).not.toBe(session.refreshToken);
      const sessions = await transport.sessions(refreshed.accessToken);
      const current = sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
      expect(current.id).toBe(payload.jti);

      await transport.revoke(refreshed.accessToken, current.id);
      expect(await transport.refusal(refreshed.accessToken)).toBe('UNAUTHENTICATED');
      expect(await transport.refusal(session.accessToken)).toBe('UNAUTHENTICATED');
    });
  });

describe('the id of a session [spec:sessions.1]', () => {
  test('is made here: neither a request id nor anything else that a client sends becomes one', async () => {
    const requestId = randomUUID();
    const ids = await Promise.all(
      ['one', 'other'].map(async () => {
        const answer = await client.post('/api/auth/register', credentials(`${randomUUID()}@example.com`), undefined, {
          'x-request-id': requestId,
        });
        const { accessToken } = data(answer, 201);
        return JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString()).jti;
      }),
    );
    expect(new Set([...ids, requestId]).size).toBe(3);
    // A UUID v7.
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe('the doors of the gateway', () => {
  test('says that it lives, that it is ready, and shows its documents', async () => {
    const health = await client.get('/health');
    expect([health.status, health.body.status]).toStrictEqual([200, 'ok']);
    const ready = await client.get('/ready');
    expect(ready.status).toStrictEqualFor(ready.body, 200);
    const openApi = await client.get('/api-docs.json');
    expect(openApi.body.openapi).toMatch(/^3\.1/);
    expect((await client.get('/api-docs')).status).toBe(200);
    const ide = await client.get('/graphql', undefined, { accept: 'text/html' });
    expect(String(ide.body)).toMatch(/graphiql/i);
  });

  test('a prototype name and an inexact number reach no service unseen, as literals of a document', async () => {
    const { accessToken } = await rest.register(`eve-${randomUUID()}@example.com`);
    for (const value of ['__proto__: {x: 1}', 'a: [{__proto__: 1}]', 'n: 9007199254740993', 'n: 1e400']) {
      const { body } = await client.graphql(`mutation { updateMyUser(input: { metadata: {${value}} }) { email } }`, {}, accessToken);
      expect([value, body.errors?.[0].extensions.code]).toStrictEqual([value, 'VALIDATION_ERROR']);
    }
  });
});
