/** An organization has shut a member out (decision 28): no app of its projects lets them in. */

import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { goodPassword } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const scope = 'openid offline_access';

async function arrange(changes = {}) {
  const app = await openid.makeClient({ is_first_party: true, ...changes });
  const person = await openid.person(app);
  const { config, tokens } = await openid.signIn(app, person.browser, { scope });
  const organizationId = app.scope.id.slice(0, 36);
  const tell = (kind: string) => service.deliver('member.restricted', { organizationId, userId: person.userId, kind });
  const authorize = async () =>
    (await person.browser.get(pathOf((await openid.request(config, { prompt: 'none' })).url))).location.searchParams;
  return { app, person, config, tokens, tell, authorize };
}

describe('a member who is', () => {
  for (const kind of ['block', 'require-new-password'])
    test(`shut out (${kind}): refresh, introspection, userinfo and authorize are refused at once`, async () => {
      const { config, tokens, tell, authorize, person } = await arrange();
      expect((await authorize()).has('code')).toBe(true);
      await tell(kind);
      await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
      await expect(client.fetchUserInfo(config, tokens.access_token, person.userId)).rejects.toBeDefined();
      expect((await authorize()).get('error')).toBe('access_denied');
      // The person's own session is theirs.
      expect((await service.ask('GET', '/api/me', { token: person.accessToken })).status).toBe(200);
    });

  test('let in again: signs in anew, and no token from before comes back', async () => {
    const { config, tokens, tell, authorize } = await arrange();
    await tell('block');
    await tell('unblock');
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
    expect((await authorize()).has('code')).toBe(true);
  });

  test('blocked, and has left: signs up to no app, until let in again', async () => {
    const { app, tell, authorize, person } = await arrange();
    await tell('block');
    await service.deliver('user.left', { userId: person.userId, scope: { tenant: 'organization', id: app.scope.id.slice(0, 36) } });
    expect((await authorize()).get('error')).toBe('access_denied');
    await tell('unblock');
    expect((await authorize()).get('error')).not.toBe('access_denied');
  });

  test('asked for a new password before it was changed, and heard of after: rbac says that it was', async () => {
    const { tell, authorize } = await arrange();
    await tell('require-new-password');
    await tell('password-changed');
    expect((await authorize()).has('code')).toBe(true);
  });

  test('the voucher of an app: a demand for a new password leaves it to the others, a block stops it', async () => {
    const { app, person: other } = await arrange();
    const organizationId = app.scope.id.slice(0, 36);
    const config = await openid.discover(app);
    const authorize = async () =>
      (await other.browser.get(pathOf((await openid.request(config, { prompt: 'none' })).url))).location.searchParams.has('code');
    const rows = await service.database.query<{ userId: string }>(
      sql(`SELECT voucher->>'userId' AS "userId" FROM project_apps WHERE id = $1`),
      [app.id],
    );
    const userId = rows[0]?.userId;
    await service.deliver('member.restricted', { organizationId, userId, kind: 'require-new-password' });
    expect(await authorize()).toBe(true);
    await service.deliver('member.restricted', { organizationId, userId, kind: 'block' });
    expect(await authorize()).toBe(false);
  });

  test('blocked: nothing of it is kept once the organization is deleted, also when the event comes after', async () => {
    const { app, tell, person } = await arrange();
    const organizationId = app.scope.id.slice(0, 36);
    const rows = () => service.database.query(sql('SELECT FROM member_restrictions WHERE user_id = $1'), [person.userId]);
    await tell('block');
    expect(await rows()).toHaveLength(1);
    await service.deliver('organization.deleted', { organizationId, projectIds: [], hard: false });
    expect(await rows()).toHaveLength(0);
    await tell('block');
    expect(await rows()).toHaveLength(0);
  });

  test('signed out of the apps: tokens end, and the next sign-in works', async () => {
    const { config, tokens, tell, authorize } = await arrange();
    await tell('end-sessions');
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await authorize()).has('code')).toBe(true);
  });

  test('asked for a new password: is let in again once it was changed, and rbac is told', async () => {
    const { tell, authorize, person } = await arrange();
    await tell('require-new-password');
    const newPassword = 'Another-Horse-73';
    const body = { currentPassword: goodPassword, newPassword, confirmPassword: newPassword };
    expect((await service.ask('POST', '/api/me/change-password', { token: person.accessToken, body })).status).toBe(200);
    expect(service.peers.events.map(({ event }) => [event.type, event.key])).toContainEqual(['user.passwordChanged', person.userId]);
    expect((await authorize()).get('error')).not.toBe('access_denied');
  });
});
