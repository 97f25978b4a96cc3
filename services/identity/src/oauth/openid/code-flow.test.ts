import { afterAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const projects = await projectsOf(service);
const openid = openidOf(service, projects);

describe('the code flow, by openid-client through discovery alone', () => {
  test('signs a person in and says who it is', async () => {
    const app = await openid.makeClient();
    const { browser, userId, email } = await openid.person(app);
    service.peers.permissions.set(userId, ['order:read']);
    const { config, tokens } = await openid.signIn(app, browser, { scope: 'openid profile email order:read order:write' });
    const claims = tokens.claims();
    expect(claims).toMatchObject({
      iss: app.issuer,
      sub: userId,
      aud: app.clientId,
      email,
      email_verified: true,
      acr: 'aal1',
      amr: ['pwd'],
    });
    expect(claims).toHaveProperty('sid');
    expect(claims).toHaveProperty('auth_time');
    expect(claims).toHaveProperty('at_hash');
    for (const name of ['type', 'scope', 'scopes']) expect(claims).not.toHaveProperty(name);
    expect(claimsOf(tokens.access_token)).toMatchObject({
      iss: app.issuer,
      sub: userId,
      aud: app.clientId,
      client_id: app.clientId,
      type: 'projectApp',
      scope: { tenant: `${app.scope.tenant}User`, id: `${app.scope.id}:${userId}` },
      scopes: ['order:read'],
      scp: 'order:read',
    });
    expect(tokens.scope?.split(' ').toSorted()).toStrictEqual(['email', 'openid', 'order:read', 'profile']);
    const info = await client.fetchUserInfo(config, tokens.access_token, userId);
    expect(info).toMatchObject({ sub: userId, email, email_verified: true });
  });

  test('an address is verified for apps once the account holds it: not by the link of the mail alone', async () => {
    const app = await openid.makeClient();
    const { browser, userId, email } = await openid.person(app);
    // The link was opened in a browser without the account's session.
    await service.database.query({ text: 'UPDATE authentication_methods SET held_at = NULL WHERE user_id = $1' }, [userId]);
    const { config, tokens } = await openid.signIn(app, browser);
    const told = { email, email_verified: false };
    expect(tokens.claims()).toMatchObject(told);
    expect(await client.fetchUserInfo(config, tokens.access_token, userId)).toMatchObject(told);
    // It holds the address, and so does another account from before decision 15.
    await service.database.query({ text: 'UPDATE authentication_methods SET held_at = now() WHERE user_id = $1' }, [userId]);
    await service.database.query({ text: 'UPDATE proven_addresses SET is_disputed = true WHERE user_id = $1' }, [userId]);
    expect(await client.fetchUserInfo(config, tokens.access_token, userId)).toMatchObject(told);
  });

  test('asks for consent once, and for scopes that are new', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    await openid.signIn(app, browser);
    const config = await openid.discover(app);
    const again = await openid.request(config, { prompt: 'none' });
    const { location } = await browser.get(again.url.pathname + again.url.search);
    expect(location.origin + location.pathname).toBe(callbackUri);
    expect(location.searchParams.get('iss')).toBe(app.issuer);
    await client.authorizationCodeGrant(config, location, again.checks);
    const more = await openid.request(config, { prompt: 'none', scope: 'openid order:read' });
    expect((await browser.get(more.url.pathname + more.url.search)).location.searchParams.get('error')).toBe('consent_required');
  });

  test('the page learns whose app it is and what it asks for, also while others do not answer', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    const { url } = await openid.request(await openid.discover(app), { scope: 'openid order:read' });
    const { location } = await browser.get(url.pathname + url.search);
    const asked = async () => (await browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`)).body.data;
    expect(await asked()).toMatchObject({
      prompt: 'consent',
      app: { clientId: app.clientId, name: 'Shop', project: 'Shop', organization: 'Birch', logoUrl: null },
      scopes: [
        { name: 'openid', description: null },
        { name: 'order:read', description: 'The order: read' },
      ],
    });
    service.peers.down.add('rbac');
    expect((await asked()).scopes[1]).toStrictEqual({ name: 'order:read', description: null });
    service.peers.down.delete('rbac');
  });

  test('a refused consent goes back to the app as access_denied', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await openid.follow(browser, url, { action: 'deny' });
    expect(location.searchParams.get('error')).toBe('access_denied');
    // The row is written behind the response.
    await until(async () => (await service.auditOf('openid.authorization')).some(({ code }) => code === 'access_denied'));
    expect(await service.auditOf('openid.authorization')).toContainEqual(
      expect.objectContaining({ outcome: 'refused', code: 'access_denied' }),
    );
  });
});
