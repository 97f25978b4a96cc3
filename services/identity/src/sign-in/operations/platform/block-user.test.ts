/** The platform blocks a person (decision 28): no door lets them in, and nothing comes back. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { pathOf } from '../../../testing/browser.ts';
import { startOauth } from '../../../testing/oauth.ts';
import { openidOf } from '../../../testing/openid.ts';
import { projectsOf } from '../../../testing/project.ts';
import { login, type Registered, registered } from '../../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));

async function administrator(): Promise<Registered> {
  const person = await registered(service, { name: 'operator' });
  await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [person.userId]);
  return person;
}
const operator = await administrator();
const change = (id: string, step: 'block' | 'unblock', body: object = {}, by = operator) =>
  service.ask('POST', `/api/platform/users/${id}/${step}`, { token: by.accessToken, body });
const mailsTo = async (email: string, count: number) =>
  (await service.mails(email, count)).map(({ template }) => template).filter((name) => name.startsWith('account-'));

async function signedIn() {
  const app = await openid.makeClient({ is_first_party: true });
  const person = await openid.person(app);
  const { config, tokens } = await openid.signIn(app, person.browser, { scope: 'openid offline_access' });
  const doors = async () => {
    const authorized = await person.browser.get(pathOf((await openid.request(config, { prompt: 'none' })).url));
    return {
      password: (await login(service, person.email)).status,
      cookie: (await person.browser.post('/api/auth/refresh', {})).status,
      authorize: authorized.location.searchParams.get('error') ?? 'code',
      refresh: await client.refreshTokenGrant(config, tokens.refresh_token ?? '').then(
        () => 'tokens',
        (error: { error?: string }) => error.error,
      ),
      introspection: (await client.tokenIntrospection(config, tokens.access_token)).active,
    };
  };
  return { app, person, config, tokens, doors };
}

describe('a person whom the platform has blocked', () => {
  test('is refused at every door at once, is told, and gets nothing back when it ends', async () => {
    const { person, doors, config, tokens } = await signedIn();
    const { status, body } = await change(person.userId, 'block', { reason: 'abuse' });
    expect([status, body.data]).toMatchObject([200, { id: person.userId, isBlocked: true, blockReason: 'abuse' }]);
    const refused = { password: 401, cookie: 401, authorize: 'login_required', refresh: 'invalid_grant', introspection: false };
    expect(await doors()).toStrictEqual(refused);
    await expect(client.fetchUserInfo(config, tokens.access_token, person.userId)).rejects.toBeDefined();
    expect(await mailsTo(person.email, 2)).toStrictEqual(['account-blocked']);
    expect((await change(person.userId, 'unblock')).body.data).toMatchObject({ isBlocked: false, blockedAt: null, blockReason: null });
    // The password opens a session of its own; what was there before stays ended.
    expect(await doors()).toStrictEqual({ ...refused, password: 200 });
    expect(await mailsTo(person.email, 3)).toStrictEqual(['account-blocked', 'account-unblocked']);
    const told = service.peers.events.filter(({ event }) => event.type === 'user.restricted' && event.key === person.userId);
    expect(new Set(told.map(({ subscriber }) => subscriber))).toStrictEqual(new Set(['rbac', 'keys']));
    const rows = [...(await service.auditOf('user.blocked')), ...(await service.auditOf('user.unblocked'))];
    expect(rows.map((row) => row.actor_id)).toStrictEqual([operator.userId, operator.userId]);
  });

  test('is blocked still after a second block, which gives another reason and no second mail', async () => {
    const person = await registered(service);
    const first = await change(person.userId, 'block');
    const second = await change(person.userId, 'block', { reason: 'again' });
    expect([second.body.data.blockedAt, second.body.data.blockReason]).toStrictEqual([first.body.data.blockedAt, 'again']);
    expect(await mailsTo(person.email, 2)).toStrictEqual(['account-blocked']);
  });

  test('opens no session by a sign-in that was under way, and an app gets no token', async () => {
    const { app, person } = await signedIn();
    const config = await openid.discover(app);
    const { url, checks } = await openid.request(config, { scope: 'openid' });
    const { location } = await openid.follow(person.browser, url);
    const races = await Promise.all([
      ...Array.from({ length: 6 }, () => login(service, person.email)),
      change(person.userId, 'block'),
      ...Array.from({ length: 6 }, () => login(service, person.email)),
    ]);
    expect(races.length).toBe(13);
    const rows = await service.database.query(sql('SELECT id FROM sessions WHERE user_id = $1'), [person.userId]);
    expect(rows).toHaveLength(0);
    await expect(client.authorizationCodeGrant(config, location, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
    for (const { body } of races.slice(0, 6))
      if (body.success) expect((await service.ask('GET', '/api/me', { token: body.data.accessToken })).status).toBe(401);
  });

  test('lets no app in for which they vouch', async () => {
    const { app, doors } = await signedIn();
    const voucher = sql(
      `UPDATE project_apps SET voucher = jsonb_set(voucher, '{userId}', to_jsonb($2::text)), vouched_by = $2::uuid WHERE id = $1`,
    );
    const dev = await registered(service);
    service.peers.people.get(app.scope.id)?.add(dev.userId);
    await service.database.query(voucher, [app.id, dev.userId]);
    await change(dev.userId, 'block');
    expect((await doors()).authorize).toBe('access_denied');
  });

  test('gets no token by a machine app for which they vouch, though rbac has not heard of the block', async () => {
    const roleId = '0190a000-0000-7000-8000-0000000000aa';
    const columns = { type: 'machine', grant_types: ['client_credentials'], role_id: roleId, redirect_uris: [], scopes: [] };
    const app = await openid.makeClient(columns);
    const config = await openid.discover(app);
    const ask = () =>
      client.clientCredentialsGrant(config).then(
        () => 'token',
        ({ error }: { error?: string }) => error,
      );
    expect(await ask()).toBe('token');
    const [row] = await service.database.query<{ id: string }>(sql('SELECT vouched_by AS id FROM project_apps WHERE id = $1'), [app.id]);
    await change(row?.id ?? '', 'block');
    expect(await ask()).toBe('invalid_grant');
    await change(row?.id ?? '', 'unblock');
    expect(await ask()).toBe('token');
  });
});

describe('who may block', () => {
  test('administrators of the platform alone, and none themselves', async () => {
    const [person, other] = [await registered(service), await registered(service)];
    expect((await change(other.userId, 'block', {}, person)).status).toBe(403);
    expect((await change(operator.userId, 'block')).status).toBe(403);
    expect((await change('0190a000-0000-7000-8000-00000000000a', 'block')).status).toBe(404);
  });

  test('an administrator who is blocked is none, and two who block each other at once leave one', async () => {
    await service.database.query(sql('DELETE FROM platform_administrators'), []);
    const [one, two] = [await administrator(), await administrator()];
    const answers = await Promise.all([change(two.userId, 'block', {}, one), change(one.userId, 'block', {}, two)]);
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(200);
    expect([401, 403, 409]).toContain(statuses[1]);
    const [row] = await service.database.query<{ count: string }>(
      sql(`SELECT count(*) FROM platform_administrators a JOIN users u ON u.id = a.user_id WHERE u.blocked_at IS NULL`),
      [],
    );
    expect(Number(row?.count)).toBe(1);
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [operator.userId]);
  });

  test('find a person by the whole address or the id', async () => {
    const person = await registered(service);
    const find = (search: string) =>
      service.ask('GET', `/api/platform/users?search=${encodeURIComponent(search)}`, { token: operator.accessToken });
    for (const search of [person.email, person.email.toUpperCase(), person.userId])
      expect((await find(search)).body.data.items).toMatchObject([{ id: person.userId, email: person.email, isBlocked: false }]);
    expect((await find(person.email.slice(0, 8))).body.data.items).toStrictEqual([]);
  });
});
