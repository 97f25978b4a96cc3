import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { FakeUser } from '../../../../../test/support/fake-provider/provider.ts';
import { insertAppToken } from '../../apps/storage/project-app-tokens.ts';
import { findProjectApp, holdProjectApp } from '../../apps/storage/project-apps.ts';
import type { ProjectScope } from '../../ground/domain/project-app.ts';
import type { Visit } from '../../testing/browser.ts';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { type App, fragmentOf, projectsOf, refused } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp, owner, signIn } = await projectsOf(service);

describe('the end of app tokens', () => {
  async function tokenOf(app: App, user: FakeUser) {
    return claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '');
  }
  const isRevoked = async (jti: unknown) => {
    const { revocations } = await service.revocations.list({ cursor: '' });
    return revocations.some(({ kind, value }) => kind === 'jti' && value === jti);
  };

  test('an app that is deleted takes its tokens along, and only its own [spec:claims.7]', async () => {
    const [app, other] = [await makeApp({ allowSignUp: true }), await makeApp({ allowSignUp: true })];
    const [own, theirs] = [await tokenOf(app, providerUser()), await tokenOf(other, providerUser())];
    await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}&hardDelete=true`, {
      token: owner.accessToken,
    });
    expect([await isRevoked(own.jti), await isRevoked(theirs.jti)]).toStrictEqual([true, false]);
  });

  test('an app that loses a scope takes its tokens along; other changes end nothing', async () => {
    const app = await makeApp({ allowSignUp: true });
    const token = await tokenOf(app, providerUser());
    const change = (body: object) =>
      service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope: app.scope, ...body }, token: owner.accessToken });
    await change({ name: 'Renamed', scopes: ['order:read', 'order:write', 'order:more'] });
    expect(await isRevoked(token.jti)).toBe(false);
    await change({ scopes: ['order:read'] });
    expect(await isRevoked(token.jti)).toBe(true);
  });

  test('so does one that gets its first scopes: its tokens had no cap', async () => {
    const app = await makeApp({ scopes: [], allowSignUp: true });
    const token = await tokenOf(app, providerUser());
    const body = { scope: app.scope, scopes: ['order:read'] };
    await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: owner.accessToken });
    expect(await isRevoked(token.jti)).toBe(true);
  });

  test('deleting a project or an organization, and leaving one, ends the tokens of apps', async () => {
    const project = await makeApp({ allowSignUp: true });
    const ofProject = await tokenOf(project, providerUser());
    await service.deliver('project.deleted', { scope: project.scope, hard: false });
    expect(await isRevoked(ofProject.jti)).toBe(true);

    const app = await makeApp({ allowSignUp: true });
    const ofApp = await tokenOf(app, providerUser());
    const [organizationId = '', projectId = ''] = app.scope.id.split(':');
    await service.deliver('organization.deleted', { organizationId, projectIds: [projectId], hard: false });
    expect(await isRevoked(ofApp.jti)).toBe(true);

    const shared = await makeApp({ allowSignUp: true });
    const [leaver, stayer] = [await tokenOf(shared, providerUser()), await tokenOf(shared, providerUser())];
    await service.deliver('user.left', { userId: leaver.sub, scope: shared.scope });
    expect([await isRevoked(leaver.jti), await isRevoked(stayer.jti)]).toStrictEqual([true, false]);
    const [parentId = ''] = shared.scope.id.split(':');
    await service.deliver('user.left', { userId: stayer.sub, scope: { tenant: 'organization', id: parentId } });
    // Who leaves the organization leaves its projects.
    expect(await isRevoked(stayer.jti)).toBe(true);
  });

  /** What happens at the last moment of a sign-in: while its token is signed. */
  const signInWhile = async (app: App, happens: () => Promise<unknown>): Promise<Visit> => {
    service.peers.onSign = async () => {
      service.peers.onSign = async () => undefined;
      await happens();
    };
    return signIn(app, providerUser());
  };

  test('no token is issued when the app is changed or its project ends while it is signed', async () => {
    const leave = async (app: App) => {
      const [userId = ''] = service.peers.people.get(app.scope.id) ?? [];
      service.peers.people.get(app.scope.id)?.delete(userId);
      await service.deliver('user.left', { userId, scope: app.scope });
    };
    const ask = (method: string, app: App, body?: object) =>
      service.ask(method, `/api/project-apps/${app.id}${body ? '' : `?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`}`, {
        ...(body ? { body: { scope: app.scope, ...body } } : {}),
        token: owner.accessToken,
      });
    const ends: Readonly<Record<string, (app: App) => Promise<unknown>>> = {
      'the app loses a scope': (app) => ask('PATCH', app, { scopes: ['order:read'] }),
      'the app loses the redirect URI': (app) => ask('PATCH', app, { redirectUris: ['https://other.example/'] }),
      'the app is deleted': (app) => ask('DELETE', app),
      'the project is deleted': (app) => service.deliver('project.deleted', { scope: app.scope, hard: false }),
      'the user leaves': leave,
    };
    for (const [name, happens] of Object.entries(ends)) {
      const app = await makeApp({ allowSignUp: true });
      expect(fragmentOf(await signInWhile(app, () => happens(app)))).toStrictEqualFor(name, refused);
    }
  });

  test('a deleted project finds the token of a sign-in that was about to commit', async () => {
    const app = await makeApp();
    const tokenId = newId();
    let deleted: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      const held = await findProjectApp(tx, app.scope as ProjectScope, app.id);
      expect(held !== undefined && (await holdProjectApp(tx, held))).toBe(true);
      deleted = service.deliver('project.deleted', { scope: app.scope, hard: false });
      await sleep(100);
      await insertAppToken(tx, { id: tokenId, appId: app.id, userId: owner.userId, expiresAt: new Date(Date.now() + 60_000) });
    });
    await deleted;
    expect(await isRevoked(tokenId)).toBe(true);
  });

  test('however often an app is deleted while people sign in, no token outlives it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const app = await makeApp({ allowSignUp: true });
      // Who comes after the deletion is turned away.
      const attempts = Promise.allSettled(Array.from({ length: 6 }, () => signIn(app, providerUser())));
      await sleep(10 * round);
      await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`, {
        token: owner.accessToken,
      });
      const ends = (await attempts).flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
      const tokens = ends.flatMap((end) => fragmentOf(end).access_token ?? []);
      for (const token of tokens) expect(await isRevoked(claimsOf(token).jti)).toBe(true);
    }
  });
});
