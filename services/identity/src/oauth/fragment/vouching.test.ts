import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { type App, fragmentOf, join, projectsOf, redirectUri, refused } from '../../testing/project.ts';
import { claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp, owner, signIn } = await projectsOf(service);

/** A person of the app's project, who can sign in through the provider. */
async function newMember(app: App) {
  const person = await registered(service);
  join(service.peers, app.scope.id, person.userId);
  return { ...person, user: providerUser({ email: person.email }) };
}
async function tokenOf(app: App, user: Parameters<typeof signIn>[1]) {
  const fragment = fragmentOf(await signIn(app, user));
  expect(fragment).toHaveProperty('access_token');
  return claimsOf(fragment.access_token ?? '');
}
async function isRevoked(jti: unknown): Promise<boolean> {
  const { revocations } = await service.revocations.list({ cursor: '' });
  return revocations.some(({ kind, value }) => kind === 'jti' && value === jti);
}
/**
 * Makes a key or an app the voucher, as after a change by its token.
 */
async function vouch(app: App, voucher: object): Promise<void> {
  const text = 'UPDATE project_apps SET voucher = $2 WHERE id = $1';
  await service.database.query({ text }, [app.id, JSON.stringify({ tokenId: newId(), userId: owner.userId, ...voucher })]);
}
/** Once: the next signature waits for it. */
function whileSigning(work: () => Promise<void>): void {
  service.peers.onSign = async () => {
    service.peers.onSign = async () => undefined;
    await work();
  };
}
function joinings(): number {
  return service.peers.events.filter(({ event }) => event.type === 'user.joined').length;
}
const kinds = { 'a capped app': ['order:read', 'order:write'], 'an uncapped app': [] };

for (const [name, scopes] of Object.entries(kinds)) {
  describe(`who vouches for ${name} is asked again`, () => {
    test('it is stopped when that person leaves, until another member vouches for it', async () => {
      const app = await makeApp({ scopes });
      const { user, accessToken } = await newMember(app);
      const before = await tokenOf(app, user);
      const organization = { tenant: 'organization', id: app.scope.id.slice(0, 36) };
      service.peers.people.get(organization.id)?.delete(owner.userId);
      expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
      await service.deliver('user.left', { userId: owner.userId, scope: organization });
      expect(await isRevoked(before.jti)).toBe(true);
      join(service.peers, organization.id, owner.userId);
      expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
      const rename = { body: { scope: app.scope, name: 'Renamed' }, token: accessToken };
      expect((await service.ask('PATCH', `/api/project-apps/${app.id}`, rename)).status).toBe(200);
      expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
      const anew = { body: { scope: app.scope, redirectUris: [redirectUri] }, token: accessToken };
      expect((await service.ask('PATCH', `/api/project-apps/${app.id}`, anew)).status).toBe(200);
      await tokenOf(app, user);
    });

    test('a token that is signed while that person leaves is not handed out', async () => {
      const app = await makeApp({ scopes });
      const { user } = await newMember(app);
      const organization = { tenant: 'organization', id: app.scope.id.slice(0, 36) };
      whileSigning(async () => {
        service.peers.people.get(organization.id)?.delete(owner.userId);
        await service.deliver('user.left', { userId: owner.userId, scope: organization });
      });
      expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
    });

    test('a refused sign-up makes no member', async () => {
      const app = await makeApp({ scopes, allowSignUp: true });
      const user = providerUser();
      service.peers.verdicts.set(app.roleId, 'escalation');
      const before = joinings();
      expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
      expect(joinings()).toBe(before);
      const text = 'SELECT 1 FROM authentication_methods WHERE provider_id = $1';
      expect(await service.database.query({ text }, [String(user.id)])).toStrictEqual([]);
      service.peers.verdicts.set(app.roleId, 'allowed');
      await tokenOf(app, user);
      expect(joinings()).toBeGreaterThan(before);
    });

    test('a member gets the sign-up role once, if the voucher may give it, and signs in either way', async () => {
      const app = await makeApp({ scopes, allowSignUp: true });
      const person = await registered(service);
      join(service.peers, app.scope.id.slice(0, 36), person.userId);
      const user = providerUser({ email: person.email });
      const given = () => service.peers.setRoles.filter(({ userId }) => userId === person.userId).map(({ roleIds }) => roleIds);
      const before = joinings();
      service.peers.verdicts.set(app.roleId, 'escalation');
      await tokenOf(app, user);
      expect(given()).toStrictEqual([]);
      service.peers.verdicts.set(app.roleId, 'allowed');
      await tokenOf(app, user);
      expect(given()).toStrictEqual([[app.roleId]]);
      service.peers.heldRoles.set(person.userId, [app.roleId]);
      await tokenOf(app, user);
      expect([given().length, joinings()]).toStrictEqual([1, before]);
    });

    test('tokens of a person end when the rights of the person grow', async () => {
      const app = await makeApp({ scopes });
      const [risen, other] = [await newMember(app), await newMember(app)];
      const [token, kept] = [await tokenOf(app, risen.user), await tokenOf(app, other.user)];
      await service.deliver('rights.grew', { userIds: [risen.userId], scope: { tenant: 'organization', id: app.scope.id.slice(0, 36) } });
      expect([await isRevoked(token.jti), await isRevoked(kept.jti)]).toStrictEqual([true, false]);
    });
  });
}

test('a token gets no scope that the voucher could not give any more', async () => {
  const app = await makeApp();
  const { user, userId } = await newMember(app);
  service.peers.permissions.set(userId, ['order:read', 'order:write']);
  expect((await tokenOf(app, user)).scopes).toStrictEqual(['order:read', 'order:write']);
  service.peers.verdicts.set('order:write', 'escalation');
  expect((await tokenOf(app, user)).scopes).toStrictEqual(['order:read']);
  service.peers.verdicts.delete('order:write');
});

test('a token that acts for a person is not handed out when the person rises while it is signed', async () => {
  const app = await makeApp({ scopes: [] });
  const { user, userId } = await newMember(app);
  whileSigning(async () => {
    const roleId = newId();
    service.peers.heldRoles.set(userId, [roleId]);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    await service.deliver('rights.grew', { userIds: [userId], scope: app.scope });
  });
  expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
});

test('an app that a key directed is stopped when the key ends', async () => {
  const app = await makeApp();
  const { user } = await newMember(app);
  const tokenId = newId();
  await vouch(app, { type: 'apiKey', roleId: newId(), tokenId });
  await tokenOf(app, user);
  service.peers.endedKeys.add(tokenId);
  expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
});

test('an app that another app directed gets no more than that one, and is stopped with it', async () => {
  const [parent, child] = [await makeApp({ scopes: ['order:read'] }), await makeApp()];
  await service.database.query({ text: 'UPDATE project_apps SET scope_id = $2 WHERE id = $1' }, [child.id, parent.scope.id]);
  const inParent = { ...child, scope: parent.scope };
  const { user, userId } = await newMember(inParent);
  service.peers.permissions.set(userId, ['order:read', 'order:write']);
  await vouch(inParent, { type: 'projectApp', scopes: ['order:read', 'order:write'], appId: parent.id });
  expect((await tokenOf(inParent, user)).scopes).toStrictEqual(['order:read']);
  await vouch(parent, { type: 'projectApp', scopes: ['order:read'], appId: child.id });
  // A circle has no voucher.
  expect(fragmentOf(await signIn(inParent, user))).toStrictEqual(refused);
  await vouch(parent, { type: 'session' });
  await tokenOf(inParent, user);
  await service.ask('DELETE', `/api/project-apps/${parent.id}?tenant=${parent.scope.tenant}&scopeId=${parent.scope.id}`, {
    token: owner.accessToken,
  });
  expect(fragmentOf(await signIn(inParent, user))).toStrictEqual(refused);
});
