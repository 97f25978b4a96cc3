/** An app names the connection or the organization, at authorize and by PAR: the whole way home. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { connectionsOf, upstreamPerson } from '../../testing/connections.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { exchange } from '../../testing/platform.ts';
import { join, projectsOf } from '../../testing/project.ts';

const service = connectionsOf(await startOauth({ WEBHOOK_ALLOW_PRIVATE: 'true' }));
afterAll(() => service.stop());
const { peers, makeWorld } = service;
const openid = openidOf(service, await projectsOf(service));

/** An app of the organization whose provider it is, and a person who comes by it. */
async function arrange() {
  const app = await openid.makeClient({ is_first_party: true });
  const organizationId = app.scope.id.slice(0, 36);
  const world = await makeWorld();
  const { id } = world.connection;
  await service.database.query(sql('UPDATE connections SET organization_id = $2 WHERE id = $1'), [id, organizationId]);
  peers.provenDomains.set(organizationId, new Set([world.domain]));
  const who = upstreamPerson(world.domain);
  const { userId } = await world.signIn(who);
  join(peers, app.scope.id, userId);
  const config = await openid.discover(app);

  /** As the hosted page does it. */
  async function comeHome(url: URL, checks: client.AuthorizationCodeGrantChecks) {
    const browser = openBrowser(service);
    const interaction = (await browser.get(pathOf(url))).location.searchParams.get('interaction');
    const asked = `/api/auth/interactions/${interaction}`;
    const { body } = await browser.get(asked);
    expect(body.data).toMatchObject({ prompt: 'sign_in', connection: { id, name: 'Our login' } });
    const { code } = await world.come(who, { browser });
    expect((await exchange(browser, code)).status).toBe(200);
    const answered = await browser.post(asked, { action: 'continue' });
    expect(answered.status).toStrictEqualFor(answered.body, 200);
    const { location } = await openid.follow(browser, new URL(answered.body.data.redirectTo));
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    return tokens.claims()?.sub;
  }
  return { app, organizationId, world, id, userId, config, comeHome };
}

describe('a client that sends its people to an organization’s provider', () => {
  for (const name of ['connection', 'organization'] as const)
    for (const how of ['authorize', 'PAR'] as const)
      test(`by ${name} at ${how} gets the person who signed in there`, async () => {
        const { organizationId, id, userId, config, comeHome } = await arrange();
        const named = { [name]: name === 'connection' ? id : organizationId };
        const { url, checks } = await openid.request(config, named);
        const asked = how === 'PAR' ? await client.buildAuthorizationUrlWithPAR(config, url.searchParams) : url;
        expect(asked.searchParams.has(name)).toBe(how === 'authorize');
        expect(await comeHome(asked, checks)).toBe(userId);
      });

  test('a connection of another organization, and one that is switched off, lead nowhere', async () => {
    const { config, world, app } = await arrange();
    const foreign = (await arrange()).id;
    const errorOf = async (id: string) => {
      const { url } = await openid.request(config, { connection: id });
      return (await openBrowser(service).get(pathOf(url))).location.searchParams.get('error');
    };
    await service.database.query(sql(`UPDATE connections SET status = 'disabled' WHERE id = $1`), [world.connection.id]);
    expect(await errorOf(world.connection.id)).toBe('access_denied');
    const person = await openid.person(app);
    const { url } = await openid.request(config, { connection: foreign });
    expect((await openid.follow(person.browser, url)).location.searchParams.has('code')).toBe(false);
  });
});
