import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { clientState, fragmentOf, projectsOf, redirectUri, refused } from '../../testing/project.ts';
import { appUrl, claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth();
after(() => service.stop());
const { makeApp, member, owner, signIn } = await projectsOf(service);

describe('sign-in to an app through a provider', () => {
  test('somebody new signs up where the app allows it, and gets a token capped to what both may [spec:auth.11 spec:auth.14 spec:claims.2-8 spec:claims.10-12 spec:apps.1 spec:apps.3 spec:project-oauth.2]', async () => {
    for (const tenant of ['accountProject', 'organizationProject']) {
      const app = await makeApp({ allowSignUp: true }, tenant);
      const user = providerUser();
      const first = await signIn(app, user);
      assert.equal(first.status, 302);
      assert.equal(first.location.href.split('#')[0], redirectUri);
      assert.deepEqual([first.headers['cache-control'], first.headers['referrer-policy']], ['no-store', 'no-referrer']);
      const fragment = fragmentOf(first);
      assert.deepEqual(Object.keys(fragment), ['access_token', 'token_type', 'expires_in', 'state']);
      assert.deepEqual([fragment.token_type, fragment.expires_in, fragment.state], ['Bearer', '900', clientState]);
      const claims = claimsOf(fragment.access_token ?? '');
      const [root, project] = app.scope.id.split(':');
      assert.equal(claims.iss, `${appUrl}/${tenant === 'accountProject' ? 'acc' : 'org'}/${root}/prj/${project}`);
      assert.deepEqual([claims.type, claims.aud, claims.scopes, 'isVerified' in claims], ['projectApp', app.clientId, [], false]);
      assert.deepEqual(claims.scope, { tenant: `${tenant}User`, id: `${app.scope.id}:${claims.sub}` });
      const joined = service.peers.events.filter(({ event }) => event.type === 'user.joined').at(-1);
      const payload = JSON.parse(joined?.event.payloadJson ?? '{}');
      assert.deepEqual([payload.userId, payload.scope, payload.roleIds, payload.email], [claims.sub, app.scope, [app.roleId], user.email]);

      service.peers.permissions.set(String(claims.sub), ['order:read', 'user:delete']);
      const again = claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '');
      assert.deepEqual([again.sub, again.scopes, again.jti === claims.jti], [claims.sub, ['order:read'], false]);
    }
  });

  test('an app without scopes gets a token that acts for the user: type apiKey, for the platform [spec:apps.3 spec:project-oauth.2]', async () => {
    const app = await makeApp({ scopes: [], allowSignUp: true });
    const claims = claimsOf(fragmentOf(await signIn(app, providerUser())).access_token ?? '');
    assert.deepEqual([claims.type, claims.aud, 'scopes' in claims], ['apiKey', appUrl, false]);
  });

  test('such a token is refused for somebody whom the creator of the app could not give their roles', async () => {
    const app = await makeApp({ scopes: [] });
    const person = await registered(service);
    member(app, person.userId);
    const roleId = newId();
    service.peers.heldRoles.set(person.userId, [roleId]);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    const user = providerUser({ email: person.email });
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    service.peers.verdicts.set(roleId, 'allowed');
    assert.equal(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').type, 'apiKey');
  });

  test('nor does changing where the app of somebody above sends its tokens help', async () => {
    const app = await makeApp({ scopes: [] });
    member(app, owner.userId);
    const roleId = newId();
    service.peers.heldRoles.set(owner.userId, [roleId]);
    const user = providerUser({ email: owner.email });
    assert.ok(fragmentOf(await signIn(app, user)).access_token, 'the owner signs in to their own app');
    const dev = await registered(service);
    const body = { scope: app.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: dev.accessToken })).status, 200);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    service.peers.heldRoles.delete(owner.userId);

    const capped = await makeApp({ scopes: ['order:refund'] });
    service.peers.verdicts.set('order:refund', 'escalation');
    const change = { scope: capped.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: change, token: dev.accessToken })).status, 403);
    const renamed = { scope: capped.scope, name: 'Renamed' };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: renamed, token: dev.accessToken })).status, 200);
  });

  test('people of the project and of its organization come in without sign-up; others are refused [spec:auth.14]', async () => {
    const app = await makeApp();
    const stranger = providerUser();
    const refusal = await signIn(app, stranger);
    assert.equal(refusal.location.href.split('#')[0], redirectUri);
    assert.deepEqual(fragmentOf(refusal), refused);
    const person = await registered(service);
    const user = providerUser({ email: person.email });
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    for (const place of [app.scope.id, app.scope.id.split(':')[0] ?? '']) {
      service.peers.people.set(place, new Set([person.userId]));
      assert.equal(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').sub, person.userId);
      service.peers.people.delete(place);
    }
    const notice = (await service.mails(person.email, 2)).find(({ template }) => template === 'method-added');
    assert.equal(notice?.data.provider, 'codehost', 'the owner hears of the new way in');
    const rows = await service.auditOf('project-oauth.login');
    assert.ok(
      rows.some(
        ({ outcome, code, detail }) => outcome === 'refused' && code === 'access_denied' && detail.reason === 'not one of the project',
      ),
    );
    assert.ok(rows.some(({ outcome, actor_id }) => outcome === 'ok' && actor_id === person.userId));
  });

  test('pre-hijacking: an unverified address is nobody’s, on either side', async () => {
    const app = await makeApp();
    const victim = await registered(service);
    member(app, victim.userId);
    assert.deepEqual(fragmentOf(await signIn(app, providerUser({ email: victim.email, verified: false }))), refused);
    const squatter = await registered(service, { verified: false });
    member(app, squatter.userId);
    assert.deepEqual(fragmentOf(await signIn(app, providerUser({ email: squatter.email }))), refused);
  });

  test('a second identity of one provider with the same proven address is refused', async () => {
    const app = await makeApp({ allowSignUp: true });
    const user = providerUser();
    await signIn(app, user);
    assert.deepEqual(fragmentOf(await signIn(app, providerUser({ email: user.email }))), refused);
  });

  test('ten sign-ups of one identity at once make one person', async () => {
    const app = await makeApp({ allowSignUp: true });
    const user = providerUser();
    const ends = await Promise.all(Array.from({ length: 10 }, () => signIn(app, user)));
    const subjects = ends.flatMap((end) => fragmentOf(end).access_token ?? []).map((token) => claimsOf(token).sub);
    assert.equal(new Set(subjects).size, 1);
    const [{ count = 0 } = {}] = await service.database.query<{ count: number }>(
      { text: 'SELECT count(*) FROM authentication_methods WHERE provider_id = $1' },
      [String(user.id)],
    );
    assert.equal(Number(count), 1);
  });
});
