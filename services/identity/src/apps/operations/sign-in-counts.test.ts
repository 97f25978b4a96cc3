import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { clientCredentialsGrant } from 'openid-client';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { type App, projectsOf } from '../../testing/project.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const projects = await projectsOf(service);
const openid = openidOf(service, projects);

async function countsOf({ scope: { tenant, id } }: Pick<App, 'scope'>, period = 'day', of: { readonly appId?: string } = {}) {
  const query = new URLSearchParams({ tenant, scopeId: id, period, ...of });
  const { status, body } = await service.ask('GET', `/api/sign-in-counts?${query}`, { token: projects.owner.accessToken });
  expect(status).toStrictEqualFor(body, 200);
  const counts: readonly { readonly at: string; readonly signedIn: number; readonly refused: number }[] = body.data.counts;
  const [signedIn, refused] = [counts.reduce((sum, one) => sum + one.signedIn, 0), counts.reduce((sum, one) => sum + one.refused, 0)];
  return { unit: body.data.unit, steps: counts.length, signedIn, refused, counts };
}

test('sign-ins to the apps of a project and refused ones are counted, and no other project’s', async () => {
  const app = await projects.makeApp({ allowSignUp: true });
  const closed = await projects.makeApp();
  const user = providerUser();
  await projects.signIn(app, user);
  await projects.signIn(app, user);
  await projects.signIn(closed, providerUser());
  expect(await countsOf(app)).toMatchObject({ unit: 'hour', steps: 24, signedIn: 2, refused: 0 });
  expect(await countsOf(closed, 'month')).toMatchObject({ unit: 'day', steps: 30, signedIn: 0, refused: 1 });
  const { counts } = await countsOf(app, 'week');
  expect(counts.map(({ at }) => at)).toStrictEqual(counts.map(({ at }) => at).sort());
  expect(counts.at(-1)?.signedIn).toBe(2);
});

test('a sign-in by OpenID Connect counts once, not for each token that it is refreshed with', async () => {
  const app = await openid.makeClient();
  const { browser } = await openid.person(app);
  await openid.signIn(app, browser);
  await openid.signIn(app, browser);
  const config = await openid.discover(app);
  const silent = await openid.request(config, { prompt: 'none', scope: 'openid order:read order:write' });
  await openid.follow(browser, silent.url);
  expect(await countsOf(app)).toMatchObject({ signedIn: 2, refused: 0 });
});

test('of one app: the sign-ins to it, for a machine its tokens, and nothing of an app of another project', async () => {
  const app = await openid.makeClient();
  const { browser } = await openid.person(app);
  await openid.signIn(app, browser);
  const columns = { type: 'machine', grant_types: ['client_credentials'], role_id: newId(), redirect_uris: [], scopes: [] };
  const machine = await openid.makeClient(columns);
  await clientCredentialsGrant(await openid.discover(machine));
  await clientCredentialsGrant(await openid.discover(machine));
  expect(await countsOf(app, 'day', { appId: app.id })).toMatchObject({ steps: 24, signedIn: 1, refused: 0 });
  expect(await countsOf(machine, 'week', { appId: machine.id })).toMatchObject({ steps: 7, signedIn: 2 });
  // Machines are no people: the project counts none of their tokens.
  expect(await countsOf(machine)).toMatchObject({ signedIn: 0 });
  expect(await countsOf(machine, 'day', { appId: app.id })).toMatchObject({ signedIn: 0 });
});
