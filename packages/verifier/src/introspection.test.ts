import { expect, test } from '@jest/globals';
import type { Claims } from './claims.ts';
import { createIntrospection } from './introspection.ts';

const claims: Claims = { sub: 'u', aud: 'app', iss: 'https://iam.example/org/a/prj/b', exp: 2, iat: 1, jti: 'j', type: 'projectApp' };

/** An issuer that says `active` and `status`, and keeps what it was asked. */
function issuer() {
  const state = { active: true as unknown, status: 200, isDown: false };
  const requests: { url: string; authorization: string | null; body: string; redirect: string | undefined }[] = [];
  const answer: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    requests.push({ url: String(input), authorization: headers.get('authorization'), body: String(init?.body), redirect: init?.redirect });
    if (state.isDown) throw new TypeError('fetch failed');
    return Response.json({ active: state.active }, { status: state.status });
  };
  const clock = { ms: 0 };
  const isActive = createIntrospection({ clientId: 'app id', clientSecret: 's:ö', fetch: answer, nowMs: () => clock.ms });
  return { state, requests, clock, isActive };
}

test('asks the token’s issuer with the encoded credentials of RFC 6749 section 2.3.1', async () => {
  const { isActive, requests } = issuer();
  expect(await isActive('a.b.c', claims)).toBe(true);
  expect(requests).toStrictEqual([
    {
      url: 'https://iam.example/org/a/prj/b/oauth/introspect',
      authorization: `Basic ${Buffer.from('app+id:s%3A%C3%B6').toString('base64')}`,
      body: 'token=a.b.c&token_type_hint=access_token',
      redirect: 'error',
    },
  ]);
});

test('an answer counts for a second, for its own token', async () => {
  const { isActive, requests, clock, state } = issuer();
  await Promise.all([isActive('a.b.c', claims), isActive('a.b.c', claims), isActive('d.e.f', claims)]);
  expect(requests).toHaveLength(2);
  state.active = false;
  clock.ms = 999;
  expect(await isActive('a.b.c', claims)).toBe(true);
  clock.ms = 1_000;
  expect(await isActive('a.b.c', claims)).toBe(false);
});

test('anything but active: true is no', async () => {
  for (const active of ['true', 1, null, undefined, {}]) {
    const { isActive, state } = issuer();
    state.active = active;
    expect(await isActive('a.b.c', claims)).toBe(false);
  }
});

test('no answer is an error, and is not kept', async () => {
  const { isActive, state } = issuer();
  state.isDown = true;
  await expect(isActive('a.b.c', claims)).rejects.toMatchObject({ name: 'IntrospectionUnavailable' });
  state.isDown = false;
  state.status = 401;
  await expect(isActive('a.b.c', claims)).rejects.toMatchObject({ name: 'IntrospectionUnavailable' });
  state.status = 200;
  expect(await isActive('a.b.c', claims)).toBe(true);
});

test('keeps the answers of the latest 10,000 tokens', async () => {
  const { isActive, requests } = issuer();
  for (let index = 0; index <= 10_000; index += 1) await isActive(`a.b.${index}`, claims);
  await isActive('a.b.10000', claims);
  expect(requests).toHaveLength(10_001);
  await isActive('a.b.0', claims);
  expect(requests).toHaveLength(10_002);
});
