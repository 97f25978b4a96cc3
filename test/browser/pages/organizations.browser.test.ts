/** One app, many organizations that use it: people in a real browser, and a foreign client. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import * as openid from 'openid-client';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { keepPicture, look, skip } from '../../support/browser/browser.ts';
import { follow, heading, open, press, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

shareStack();

/** A product with an app, which other organizations use. */
async function createProduct(redirectUri: string, changes: object = {}) {
  const { stack } = signIns();
  const vendor = await createPerson(stack);
  const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'), 'Docs');
  const make = async (path: string, body: object) =>
    dataOf(await vendor.client.post(`/api/${path}`, { scope: product, ...body }, vendor.token));
  const actions = ['Read', 'Write'];
  const { permissions } = await make('resources', { name: 'Doc', slug: 'doc', actions, createPermissions: true });
  const roleOf = async (action: string): Promise<string> => {
    const { id } = permissions.find((each: { action: string }) => each.action === action);
    const group = await make('groups', { name: action, permissionIds: [id] });
    return (await make('roles', { name: `${action}er`, groupIds: [group.id] })).id;
  };
  const roles = { reader: await roleOf('Read'), writer: await roleOf('Write') };
  const app = { name: 'Docs', type: 'web', redirectUris: [redirectUri], scopes: ['doc:Read', 'doc:Write'], ...changes };
  const { clientId, clientSecret } = await make('project-apps', app);
  const config = await openid.discovery(new URL(issuerOf(stack.url, product)), clientId, clientSecret, undefined, {
    execute: [openid.allowInsecureRequests],
  });

  async function createCustomer(name: string) {
    const owner = await createPerson(stack);
    const organization = await createOrganization(owner, name);
    const { id } = await make('project-grants', { organizationId: organization.id });
    dataOf(await owner.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, owner.token));
    const scope = { tenant: 'organizationProject', id: `${organization.id}:${product.id.slice(37)}` };
    const give = async ({ userId }: Person, roleIds: readonly string[]) =>
      dataOf(await owner.client.patch(`/api/users/${userId}`, { scope, roleIds }, owner.token));
    const move = async (step: string) =>
      dataOf(await vendor.client.post(`/api/project-grants/${id}/${step}`, { scope: product }, vendor.token));
    return { owner, organization, scope, give, move };
  }
  return { config, roles, createCustomer };
}
type Customer = Awaited<ReturnType<Awaited<ReturnType<typeof createProduct>>['createCustomer']>>;

/** How many each has got already. */
const invitations = new Map<Person, number>();

async function join({ owner, organization }: Customer, person: Person): Promise<void> {
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const invitation = { scope: organization, email: person.email, roleId };
  dataOf(await owner.client.post('/api/organization-invitations/invite', invitation, owner.token));
  const { stack } = signIns();
  const { data } = await waitForMail(stack.dataDir, person.email, 'invitation', invitations.get(person) ?? 0);
  invitations.set(person, (invitations.get(person) ?? 0) + 1);
  dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
}

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
  const configure = (config: openid.Configuration): void => {
    state.config = config;
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

async function allow(page: Page, organization: string): Promise<void> {
  await heading(page, 'Allow Docs?');
  await page.getByText(`For ${organization}`, { exact: true }).waitFor();
  await press(page, 'Allow');
}

testUnless(skip)('people of two organizations, and one of both, sign in by one client id, each with the rights of theirs', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await serveApp(cleanup);
  const { config, roles, createCustomer } = await createProduct(app.redirectUri);
  app.configure(config);
  const [acme, birch] = [await createCustomer('Acme'), await createCustomer('Birch')];
  const { stack } = signIns();
  const [ofAcme, ofBirch] = [await addMember(stack, acme.owner, acme.organization, 'Viewer'), birch.owner];
  const both = await addMember(stack, acme.owner, acme.organization, 'Viewer');
  // The first one came with the membership in Acme.
  invitations.set(both, 1);
  await join(birch, both);
  for (const person of [ofAcme, both]) await acme.give(person, [roles.reader]);
  for (const person of [ofBirch, both]) await birch.give(person, [roles.writer]);

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
  const { config, createCustomer } = await createProduct(app.redirectUri);
  app.configure(config);
  const stranger = await createPerson(signIns().stack);
  const names = ['Acme Tools', 'Birch & Sons', 'Cedar Logistics International Holding', 'Dogwood', 'Elm', 'Fir', 'Gum', 'Hazel', 'Iroko'];
  const customers = await Promise.all(names.map((name) => createCustomer(name)));
  const { page, complaints } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Docs');
  await signIn(page, stranger.email);
  await heading(page, 'No organization of yours uses Docs');
  await look(page, '48-organization-none');
  for (const customer of customers) await join(customer, stranger);
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
  const { config } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  app.configure(config);
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
  const { config } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  app.configure(config);
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
  const { config } = await createProduct(app.redirectUri, { allowOrganizationSignUp: true });
  app.configure(config);
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
  await press(page, 'Continue');
  await press(page, 'Create an organization');
  await allow(page, 'Acme');
  await heading(page, new RegExp(`^Hello ${person.email} of acme`));
});
