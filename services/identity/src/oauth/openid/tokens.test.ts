import { afterAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const scope = 'openid email offline_access order:read';

/** A person who is signed in to an app, with a refresh token. */
async function signedIn() {
  const app = await openid.makeClient();
  const person = await openid.person(app);
  service.peers.permissions.set(person.userId, ['order:read']);
  const { config, tokens } = await openid.signIn(app, person.browser, { scope });
  return {
    app,
    config,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    idToken: tokens.id_token ?? '',
    ...personOf(person),
  };
}
function personOf({ userId, browser, accessToken }: Awaited<ReturnType<typeof openid.person>>) {
  return { userId, browser, sessionToken: accessToken };
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>;

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

async function stateOf({ config, accessToken, refreshToken, userId }: SignedIn) {
  const [access, refresh] = await Promise.all([accessToken, refreshToken].map((token) => client.tokenIntrospection(config, token)));
  const userinfo = await refused(client.fetchUserInfo(config, accessToken, userId));
  return { access: access?.active, refresh: refresh?.active, userinfo: userinfo === 'accepted' };
}
const alive = { access: true, refresh: true, userinfo: true };
const ended = { access: false, refresh: false, userinfo: false };

describe('refresh tokens', () => {
  test('offline_access needs no new consent each time, and gives a refresh token', async () => {
    const { config, refreshToken, userId, app } = await signedIn();
    expect(refreshToken).not.toBe('');
    const next = await client.refreshTokenGrant(config, refreshToken);
    expect(claimsOf(next.access_token)).toMatchObject({ sub: userId, aud: app.clientId, scopes: ['order:read'] });
    expect(next.refresh_token).not.toBe(refreshToken);
  });

  test('a refresh token that is used again ends the grant', async () => {
    const person = await signedIn();
    const next = await client.refreshTokenGrant(person.config, person.refreshToken);
    expect(await refused(client.refreshTokenGrant(person.config, person.refreshToken))).toBe('invalid_grant');
    expect(await refused(client.refreshTokenGrant(person.config, next.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await stateOf({ ...person, accessToken: next.access_token })).toStrictEqual(ended);
  });

  test('of many uses at once one succeeds, at most', async () => {
    const { config, refreshToken } = await signedIn();
    const results = await Promise.all(Array.from({ length: 5 }, () => refused(client.refreshTokenGrant(config, refreshToken))));
    expect(results.filter((result) => result === 'accepted').length).toBeLessThanOrEqual(1);
  });

  test('rights that a person lost are gone from the next access token', async () => {
    const { config, refreshToken, userId } = await signedIn();
    service.peers.permissions.set(userId, []);
    const next = await client.refreshTokenGrant(config, refreshToken);
    expect(claimsOf(next.access_token)['scopes']).toStrictEqual([]);
  });
});

describe('tokens end at once', () => {
  test('they are alive before', async () => expect(await stateOf(await signedIn())).toStrictEqual(alive));

  const endings: Readonly<Record<string, (person: SignedIn) => Promise<unknown>>> = {
    'the app revokes its refresh token': ({ config, refreshToken }) => client.tokenRevocation(config, refreshToken),
    'the person ends the session': ({ sessionToken }) => service.ask('POST', '/api/auth/logout', { token: sessionToken, body: {} }),
    'the person withdraws the consent': ({ app, sessionToken }) =>
      service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: sessionToken }),
    'the person leaves the project': async ({ app, userId }) => {
      service.peers.people.get(app.scope.id)?.delete(userId);
      await service.deliver('user.left', { userId, scope: app.scope });
    },
  };
  for (const [name, end] of Object.entries(endings)) {
    test(`when ${name}`, async () => {
      const person = await signedIn();
      const answer = await end(person);
      expect(await stateOf(person)).toStrictEqualFor({ name, answer }, ended);
      expect(await refused(client.refreshTokenGrant(person.config, person.refreshToken))).toBe('invalid_grant');
      const { revocations } = await service.revocations.list({ cursor: '' });
      expect(revocations.map(({ value }) => value)).toContain(claimsOf(person.accessToken)['jti']);
    });
  }

  test('a deleted app gets nothing any more', async () => {
    const { app, config, refreshToken, accessToken, userId } = await signedIn();
    await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`, {
      token: openid.owner.accessToken,
    });
    expect(await refused(client.refreshTokenGrant(config, refreshToken))).toBe('invalid_client');
    expect(await refused(client.fetchUserInfo(config, accessToken, userId))).not.toBe('accepted');
  });

  test('an app that nobody vouches for gets no new tokens', async () => {
    const { app, config, refreshToken } = await signedIn();
    await service.database.query({ text: 'UPDATE project_apps SET voucher = NULL WHERE id = $1' }, [app.id]);
    expect(await refused(client.refreshTokenGrant(config, refreshToken))).toBe('invalid_grant');
  });
});
