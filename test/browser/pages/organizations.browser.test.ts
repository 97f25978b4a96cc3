/** One app, many organizations that use it: people in a real browser, and a foreign client. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import * as openid from 'openid-client';
import pg from 'pg';
import { keepPicture, look, skip } from '../../support/browser/browser.ts';
import { follow, heading, open, press, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { type AppCredentials, allow, createPeople, createProduct, joinCustomer } from '../../support/browser/product.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { createPerson, dataOf, type Person } from '../../support/world.ts';

shareStack();

/** An app on openid-client: `/` begins a sign-in with its query, `/cb` shows who came for whom. */
async function serveApp(cleanup: AsyncDisposableStack) {
  const state: { config?: openid.Configuration; tokens?: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers } = {};
  const verifier = openid.randomPKCECodeVerifier();
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', url)).then(
      ({ location, text = '' }) =>
        response.writeHead(location === undefined ? 200 : 302, { 'content-type': 'text/html', ...(location && { location }) }).end(text),
      (error: Error) => response.writeHead(500, { 'content-type': 'text/html' }).end(`<h1>${error.message}</h1>`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer({ href, pathname, searchParams }: URL): Promise<{ location?: string; text?: string }> {
    const { config } = state;
    if (config === undefined) throw new Error('not configured');
    if (pathname === '/cb') {
      if (searchParams.has('error')) return { text: `<h1>Refused: ${searchParams.get('error')}</h1>` };
      state.tokens = await openid.authorizationCodeGrant(config, new URL(href), { pkceCodeVerifier: verifier });
      const { email, org_slug: organization } = await openid.fetchUserInfo(config, state.tokens.access_token, openid.skipSubjectCheck);
      return { text: `<h1>Hello ${email} of ${organization}</h1>` };
    }
    const query = { redirect_uri: `${url}/cb`, scope: 'openid email offline_access doc:Read doc:Write', code_challenge_method: 'S256' };
    const challenge = await openid.calculatePKCECodeChallenge(verifier);
    const asked = { ...query, code_challenge: challenge, ...Object.fromEntries(searchParams) };
    return { location: openid.buildAuthorizationUrl(config, asked).href };
  }
  /** The tokens of the sign-in that the browser has just ended. */
  const tokens = () => {
    const { access_token: access = '', refresh_token: refresh = '' } = state.tokens ?? {};
    return { access, refresh, claims: state.tokens?.claims() };
  };
  const configure = async ({ issuer, clientId, clientSecret }: AppCredentials): Promise<openid.Configuration> => {
    const execute = [openid.allowInsecureRequests];
    state.config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute });
    return state.config;
  };
  return { url, redirectUri: `${url}/cb`, configure, tokens };
}

async function may(token: string, action: string, scope: ScopeValue): Promise<boolean> {
  const { client } = await anybody();
  const answer = await client.post('/api/auth/is-authorized', { permission: { resource: 'doc', action }, scope }, token);
  return answer.status === 200 && answer.body.data.authorized;
}
let known: Promise<Person> | undefined;
function anybody(): Promise<Person> {
  known ??= createPerson(signIns().stack);
  return known;
}

testUnless(skip)('people of two organizations, and one of both, sign in by one client id, each with the rights of theirs', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const product = await createProduct(app.redirectUri);
  const config = await app.configure(product.client);
  const { acme, birch, ofAcme, ofBirch, both } = await createPeople(product);

  const places = [
    { person: ofAcme, own: acme, other: birch, name: 'Acme', action: 'Read' },
    { person: ofBirch, own: birch, other: acme, name: 'Birch', action: 'Write' },
  ] as const;
  for (const { person, own, other, name, action } of places) {
    const { page, complaints } = await open();
    await page.goto(app.url);
    await heading(page, 'Sign in to Docs');
    await signIn(page, person.email);
    await allow(page, name);
    await heading(page, new RegExp(`^Hello ${person.email} of ${name.toLowerCase()}`));
    const { access, claims } = app.tokens();
    expect([claims?.sub, claims?.['org_id']]).toStrictEqual([person.userId, own.organization.id]);
    expect(await Promise.all(['Read', 'Write'].map((each) => may(access, each, own.scope)))).toStrictEqual(
      ['Read', 'Write'].map((each) => each === action),
    );
    expect(await may(access, action, other.scope)).toBe(false);
    await page.goto(`${app.url}/?organization=${other.organization.id}`);
    await heading(page, 'Refused: access_denied');
    expect(complaints).toStrictEqual([]);
  }

  const { page, complaints } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, both.email);
  await heading(page, 'Choose an organization for Docs');
  await look(page, '47-organization-choice');
  await press(page, /^Birch/);
  await allow(page, 'Birch');
  await heading(page, new RegExp(`^Hello ${both.email} of birch`));
  const inBirch = app.tokens();
  // Remembered, and another one by its name.
  await page.goto(app.url);
  await heading(page, new RegExp(`^Hello ${both.email} of birch`));
  await page.goto(`${app.url}/?organization=${acme.organization.id}`);
  await allow(page, 'Acme');
  await heading(page, new RegExp(`^Hello ${both.email} of acme`));
  const inAcme = app.tokens();
  expect(inAcme.claims?.sub).toBe(inBirch.claims?.sub);
  expect([await may(inAcme.access, 'Read', acme.scope), await may(inAcme.access, 'Write', birch.scope)]).toStrictEqual([true, false]);
  expect([await may(inBirch.access, 'Write', birch.scope), await may(inBirch.access, 'Read', acme.scope)]).toStrictEqual([true, false]);

  const isActive = async (token: string) => (await openid.tokenIntrospection(config, token)).active;
  const refresh = (token: string) =>
    openid.refreshTokenGrant(config, token).then(
      ({ access_token: access, refresh_token: next = '' }) => ({ access, next, error: undefined }),
      ({ error }: { error: string }) => ({ access: '', next: token, error }),
    );
  expect((await refresh(inAcme.refresh)).error).toBeUndefined();
  await birch.move('suspend');
  await until(async () => !(await isActive(inBirch.access)));
  expect([await isActive(inAcme.access), (await refresh(inBirch.refresh)).error]).toStrictEqual([true, 'invalid_grant']);
  expect(await may(inBirch.access, 'Write', birch.scope)).toBe(false);
  await birch.move('resume');
  let resumed = await refresh(inBirch.refresh);
  // Tokens from the second in which the grant was suspended stay refused.
  await until(async () => {
    resumed = await refresh(resumed.next);
    return may(resumed.access, 'Write', birch.scope);
  });
  const { client, token } = birch.owner;
  dataOf(await client.delete(`/api/organization-members/${both.userId}?${inScope(birch.organization)}`, token));
  await until(async () => !(await isActive(resumed.access)));
  expect((await refresh(resumed.next)).error).toBe('invalid_grant');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a page says so to a person whose organizations do not use the app, and one of many is found by its name', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const { client, createCustomer } = await createProduct(app.redirectUri);
  await app.configure(client);
  const stranger = await createPerson(signIns().stack);
  const names = ['Acme Tools', 'Birch & Sons', 'Cedar Logistics International Holding', 'Dogwood', 'Elm', 'Fir', 'Gum', 'Hazel', 'Iroko'];
  const customers = await Promise.all(names.map((name) => createCustomer(name)));
  const { page, complaints } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, stranger.email);
  await heading(page, 'No organization of yours uses Docs');
  await look(page, '48-organization-none');
  for (const customer of customers) await joinCustomer(customer, stranger);
  await page.reload();
  await heading(page, 'Choose an organization for Docs');
  await look(page, '49-organization-many');
  await page.getByLabel('Find an organization').fill('hazel');
  expect(await page.getByRole('list', { name: 'Your organizations' }).getByRole('button').count()).toBe(1);
  await press(page, /^Hazel/);
  await allow(page, 'Hazel');
  await heading(page, new RegExp(`^Hello ${stranger.email} of hazel`));

  const other = await open();
  const nobody = await createPerson(signIns().stack);
  await other.page.goto(app.url);
  await heading(other.page, 'Sign in to Docs');
  await signIn(other.page, nobody.email);
  await heading(other.page, 'No organization of yours uses Docs');
  await press(other.page, 'Back to Docs');
  await heading(other.page, 'Refused: access_denied');
  await other.page.goto(app.url);
  await heading(other.page, 'No organization of yours uses Docs');
  await follow(other.page, 'Sign out');
  await press(other.page, 'Sign out of everything');
  await heading(other.page, 'You are signed out');
  await other.page.goto(app.url);
  await heading(other.page, 'Sign in to Docs');
  for (const each of [complaints, other.complaints]) expect(each).toStrictEqual([]);
});

testUnless(skip)('a person without an organization names one on the way to an app, and goes on in it as its Owner', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const { client } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  await app.configure(client);
  const person = await createPerson(signIns().stack);
  const { page, complaints } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, person.email);
  await heading(page, 'Create an organization for Docs');
  await look(page, '50-organization-new');
  await press(page, 'Create an organization');
  await page.getByText('Enter the name of the organization.').waitFor();
  await keepPicture(page, '51-organization-new-fault');
  // The field with the fault has the focus.
  await page.keyboard.type('Acme Tools');
  await page.keyboard.press('Enter');
  await allow(page, 'Acme Tools');
  await heading(page, new RegExp(`^Hello ${person.email} of acme-tools`));
  const { claims } = app.tokens();
  const { organizations } = dataOf(await person.client.get('/api/me?relations=organizations', person.token));
  expect(organizations).toMatchObject([{ id: claims?.['org_id'], name: 'Acme Tools', role: 'Owner', grants: [{ name: 'Docs' }] }]);
  // There is one now, so the page does not ask again.
  await page.goto(app.url);
  await heading(page, new RegExp(`^Hello ${person.email} of acme-tools`));
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the page of a second tab shows the organization that was made in the first, instead of another one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const { client } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  await app.configure(client);
  const person = await createPerson(signIns().stack);
  const { page } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, person.email);
  await heading(page, 'Create an organization for Docs');
  const second = await page.context().newPage();
  await second.goto(app.url);
  await heading(second, 'Create an organization for Docs');
  await page.getByLabel('Name of your organization').fill('Acme');
  await press(page, 'Create an organization');
  await heading(page, 'Allow Docs?');
  await second.getByLabel('Name of your organization').fill('Birch');
  await press(second, 'Create an organization');
  await heading(second, 'Choose an organization for Docs');
  await press(second, /^Acme/);
  await heading(second, 'Allow Docs?');
});

testUnless(skip)('an account that does not hold its address shows by a code that it reads its mail, and then makes one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const { client } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  await app.configure(client);
  const { stack } = signIns();
  const person = await createPerson(stack);
  const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
  await admin.connect();
  cleanup.defer(() => admin.end());
  await admin.query('UPDATE identity.authentication_methods SET held_at = NULL WHERE user_id = $1', [person.userId]);
  const { page } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, person.email);
  await heading(page, 'Create an organization for Docs');
  await page.getByLabel('Name of your organization').fill('Acme');
  await press(page, 'Create an organization');
  await press(page, 'Send the code');
  await look(page, '52-organization-new-code');
  const { data } = await waitForMail(stack.dataDir, person.email, 'address-code');
  await page.getByLabel('Code from the mail').fill(String(data.code));
  await press(page, 'Create an organization');
  await allow(page, 'Acme');
  await heading(page, new RegExp(`^Hello ${person.email} of acme`));
});
