import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { clientState, fragmentOf, join, projectsOf, redirectUri, refused } from '../../testing/project.ts';
import { appUrl, claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp, member, owner, signIn } = await projectsOf(service);

describe('sign-in to an app through a provider', () => {
  test('a new person signs up where the app allows it, and gets a token capped to what both may [spec:auth.11 spec:auth.14 spec:claims.2-8 spec:claims.10-12 spec:apps.1 spec:apps.3 spec:project-oauth.2]', async () => {
    for (const tenant of ['accountProject', 'organizationProject']) {
      const app = await makeApp({ allowSignUp: true }, tenant);
      const user = providerUser();
      const first = await signIn(app, user);
      expect(first.status).toBe(302);
      expect(first.location.href.split('#')[0]).toBe(redirectUri);
      expect([first.headers['cache-control'], first.headers['referrer-policy']]).toStrictEqual(['no-store', 'no-referrer']);
      const fragment = fragmentOf(first);
      expect(Object.keys(fragment)).toStrictEqual(['access_token', 'token_type', 'expires_in', 'state']);
      expect([fragment.token_type, fragment.expires_in, fragment.state]).toStrictEqual(['Bearer', '900', clientState]);
      const claims = claimsOf(fragment.access_token ?? '');
      const [root, project] = app.scope.id.split(':');
      expect(claims.iss).toBe(`${appUrl}/${tenant === 'accountProject' ? 'acc' : 'org'}/${root}/prj/${project}`);
      expect([claims.type, claims.aud, claims.scopes, 'isVerified' in claims]).toStrictEqual(['projectApp', app.clientId, [], false]);
      expect(claims.scope).toStrictEqual({ tenant: `${tenant}User`, id: `${app.scope.id}:${claims.sub}` });
      const joined = service.peers.events.filter(({ event }) => event.type === 'user.joined').at(-1);
      const payload = JSON.parse(joined?.event.payloadJson ?? '{}');
      expect([payload.userId, payload.scope, payload.roleIds, payload.email]).toStrictEqual([
        claims.sub,
        app.scope,
        [app.roleId],
        user.email,
      ]);

      service.peers.permissions.set(String(claims.sub), ['order:read', 'user:delete']);
      const again = claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '');
      expect([again.sub, again.scopes, again.jti === claims.jti]).toStrictEqual([claims.sub, ['order:read'], false]);
    }
  });

  test('an app without scopes gets a token that acts for the user: type apiKey, for the platform [spec:apps.3 spec:project-oauth.2]', async () => {
    const app = await makeApp({ scopes: [], allowSignUp: true });
    const claims = claimsOf(fragmentOf(await signIn(app, providerUser())).access_token ?? '');
    expect([claims.type, claims.aud, 'scopes' in claims]).toStrictEqual(['apiKey', appUrl, false]);
  });

  test('an uncapped token is refused for a user whose roles the creator of the app may not grant', async () => {
    const app = await makeApp({ scopes: [] });
    const person = await registered(service);
    member(app, person.userId);
    const roleId = newId();
    service.peers.heldRoles.set(person.userId, [roleId]);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    const user = providerUser({ email: person.email });
    expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
    service.peers.verdicts.set(roleId, 'allowed');
    expect(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').type).toBe('apiKey');
  });

  test('changing the redirect URI of another person’s app does not get around that', async () => {
    const app = await makeApp({ scopes: [] });
    member(app, owner.userId);
    const roleId = newId();
    service.peers.heldRoles.set(owner.userId, [roleId]);
    const user = providerUser({ email: owner.email });
    // The owner signs in to their own app.
    expect(fragmentOf(await signIn(app, user)).access_token).toBeTruthy();
    const dev = await registered(service);
    const body = { scope: app.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    expect((await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: dev.accessToken })).status).toBe(200);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
    service.peers.heldRoles.delete(owner.userId);

    const capped = await makeApp({ scopes: ['order:refund'] });
    service.peers.verdicts.set('order:refund', 'escalation');
    const change = { scope: capped.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    expect((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: change, token: dev.accessToken })).status).toBe(403);
    const renamed = { scope: capped.scope, name: 'Renamed' };
    expect((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: renamed, token: dev.accessToken })).status).toBe(200);
  });

  test('people of the project and of its organization come in without sign-up; others are refused [spec:auth.14]', async () => {
    const app = await makeApp();
    const stranger = providerUser();
    const refusal = await signIn(app, stranger);
    expect(refusal.location.href.split('#')[0]).toBe(redirectUri);
    expect(fragmentOf(refusal)).toStrictEqual(refused);
    const person = await registered(service);
    const user = providerUser({ email: person.email });
    expect(fragmentOf(await signIn(app, user))).toStrictEqual(refused);
    for (const place of [app.scope.id, app.scope.id.split(':')[0] ?? '']) {
      join(service.peers, place, person.userId);
      expect(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').sub).toBe(person.userId);
      service.peers.people.get(place)?.delete(person.userId);
    }
    const notice = (await service.mails(person.email, 2)).find(({ template }) => template === 'method-added');
    // The owner hears of the new way in.
    expect(notice?.data.provider).toBe('codehost');
    const rows = await service.auditOf('project-oauth.login');
    expect(
      rows.some(
        ({ outcome, code, detail }) => outcome === 'refused' && code === 'access_denied' && detail.reason === 'is no user of the project',
      ),
    ).toBe(true);
    const done = rows.find(({ outcome, actor_id }) => outcome === 'ok' && actor_id === person.userId);
    expect([done?.scope_id, Array.isArray(done?.detail.roleIds)]).toStrictEqual([app.scope.id, true]);
    expect(rows.filter(({ code }) => code === 'access_denied').every(({ scope_id }) => scope_id !== null)).toBe(true);
  });

  test('pre-hijacking: an unverified address links no accounts, on either side', async () => {
    const app = await makeApp();
    const victim = await registered(service);
    member(app, victim.userId);
    expect(fragmentOf(await signIn(app, providerUser({ email: victim.email, verified: false })))).toStrictEqual(refused);
    const squatter = await registered(service, { verified: false });
    member(app, squatter.userId);
    expect(fragmentOf(await signIn(app, providerUser({ email: squatter.email })))).toStrictEqual(refused);
  });

  test('a second identity of one provider with the same proven address is refused', async () => {
    const app = await makeApp({ allowSignUp: true });
    const user = providerUser();
    await signIn(app, user);
    expect(fragmentOf(await signIn(app, providerUser({ email: user.email })))).toStrictEqual(refused);
  });

  test('ten sign-ups of one identity at once make one person', async () => {
    const app = await makeApp({ allowSignUp: true });
    const user = providerUser();
    const ends = await Promise.all(Array.from({ length: 10 }, () => signIn(app, user)));
    const subjects = ends.flatMap((end) => fragmentOf(end).access_token ?? []).map((token) => claimsOf(token).sub);
    expect(new Set(subjects).size).toBe(1);
    const [{ count = 0 } = {}] = await service.database.query<{ count: number }>(
      { text: 'SELECT count(*) FROM authentication_methods WHERE provider_id = $1' },
      [String(user.id)],
    );
    expect(Number(count)).toBe(1);
  });
});
