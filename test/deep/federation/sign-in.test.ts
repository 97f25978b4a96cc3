/**
 * People of a customer sign in at its own identity provider, in a browser: foreign products, and a
 * second Tessera. They stand on 127.0.0.1, Tessera on localhost: two sites.
 */
import { afterAll, expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import type { Page } from 'playwright-core';
import { startBareProvider } from '../../../services/identity/src/testing/bare-provider.ts';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, open, password, press, signIn, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { openDns } from '../../support/dns.ts';
import { type Customer, createCustomer } from '../../support/federation/customer.ts';
import { startGlewlwyd, withoutGlewlwyd } from '../../support/federation/glewlwyd.ts';
import { type SamlApp, startSimplesamlphp, withoutSimplesamlphp } from '../../support/federation/simplesamlphp.ts';
import { startSignIn } from '../../support/sign-in.ts';
import { describeUnless, testUnless } from '../../support/unless.ts';
import { createPerson } from '../../support/world.ts';

const dns = await openDns();
const cleanup = new AsyncDisposableStack();
cleanup.defer(() => dns.close());
afterAll(() => cleanup.disposeAsync());
startStackOnce({ env: { DOMAINS_DNS_SERVERS: dns.server, WEBHOOK_ALLOW_PRIVATE: 'true' } });

/** Types the address on the hosted page, which leads to the provider. */
async function begin(address: string) {
  const visitor = await open();
  const { page } = visitor;
  const states: string[] = [];
  page.on('request', (request) => {
    const query = new URL(request.url()).searchParams;
    if (query.has('SAMLRequest')) states.push(query.get('RelayState') ?? '');
  });
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('Email address').fill(address);
  await press(page, 'Continue');
  return { ...visitor, states };
}

type Provider = {
  readonly customer: Customer;
  readonly address: string;
  /** What a person does on the provider's own pages. */
  readonly signInThere: (page: Page) => Promise<void>;
};

/** Twice, as two browsers: the same person, a member with the default role. */
async function signsIn({ customer, address, signInThere }: Provider): Promise<void> {
  const memberIds: string[] = [];
  for (const _ of [1, 2]) {
    const { page, complaints } = await begin(address);
    await signInThere(page);
    await heading(page, 'Hello Ann Birch');
    // Pages of oidc-provider ask for a font from elsewhere.
    const ours = complaints.filter((complaint) => complaint !== 'request to fonts.googleapis.com');
    expect(page.url().startsWith(at('/'))).toBe(true);
    const members = (await customer.members()).filter(({ email }) => email === address);
    expect(members).toHaveLength(1);
    memberIds.push(String(members[0]?.userId));
    expect(ours).toStrictEqual([]);
  }
  expect(new Set(memberIds).size).toBe(1);
}

async function connectOpenid(customer: Customer, issuer: string, client: object): Promise<{ id: string; callbackUrl: string }> {
  return customer.connect({ type: 'oidc', oidc: { issuer, ...client } });
}

testUnless(skip)('bare oidc-provider signs a customer’s person in', async () => {
  const customer = await createCustomer(signIns().stack, dns);
  const provider = await startBareProvider(cleanup, customer.domain);
  const { id, callbackUrl } = await connectOpenid(customer, provider.issuer, provider.client);
  provider.register(callbackUrl);
  await customer.change(id, { status: 'active' });
  await signsIn({
    customer,
    address: `ann@${customer.domain}`,
    async signInThere(page) {
      await page.getByPlaceholder('Enter any login').fill('ann');
      await page.getByPlaceholder('and password').fill('any');
      await press(page, 'Sign-in');
      await press(page, 'Continue');
    },
  });
});

testUnless(skip || withoutGlewlwyd())('Debian’s Glewlwyd signs a customer’s person in', async () => {
  const customer = await createCustomer(signIns().stack, dns);
  const glewlwyd = await startGlewlwyd(cleanup);
  const { id, callbackUrl } = await connectOpenid(customer, glewlwyd.issuer, glewlwyd.client);
  await glewlwyd.register(callbackUrl);
  const address = `ann@${customer.domain}`;
  await glewlwyd.addPerson({ username: 'ann', password: 'Her-Pass-42', name: 'Ann Birch', email: address });
  await customer.change(id, { status: 'active' });
  await signsIn({
    customer,
    address,
    async signInThere(page) {
      await page.locator('#username').fill('ann');
      await page.locator('#password').fill('Her-Pass-42');
      await page.locator('#password').press('Enter');
      const [grant, go] = [page.getByRole('button', { name: 'Grant access' }), page.getByRole('button', { name: /Continue/ })];
      await grant.or(go).first().waitFor();
      if (await grant.isVisible()) {
        for (const scope of await page.locator('input[type=checkbox]:enabled').all()) await scope.check();
        await grant.click();
      }
      await go.click();
    },
  });
});

testUnless(skip)('a second Tessera signs a customer’s person in', async () => {
  const customer = await createCustomer(signIns().stack, dns);
  const theirs = await startSignIn();
  cleanup.defer(theirs.close);
  const address = `ann@${customer.domain}`;
  await createPerson(theirs.stack, { email: address, name: 'Ann Birch' });
  const shop = await theirs.createShop();
  const { client: caller, token } = shop.owner;
  // Its redirect URI names the connection, which exists once the client does. Not by our client,
  // whose answers are searched for secrets: this one is sent to the other Tessera, too.
  const body = { scope: shop.project, name: 'Customer login', type: 'web', redirectUris: [at('/api/auth/not-yet')], allowSignUp: true };
  const made = await fetch(`${theirs.stack.url}/api/project-apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, signUpRoleId: shop.roleId }),
  });
  const { data: app } = (await made.json()) as { data: { id: string; clientId: string; clientSecret: string } };
  const issuer = issuerOf(theirs.stack.url, shop.project);
  const client = { clientId: app.clientId, clientSecret: app.clientSecret };
  const { id, callbackUrl } = await connectOpenid(customer, issuer, client);
  const changed = await caller.patch(`/api/project-apps/${app.id}`, { scope: shop.project, redirectUris: [callbackUrl] }, token);
  expect(changed.status).toStrictEqualFor(changed.body, 200);
  await customer.change(id, { status: 'active' });
  await signsIn({
    customer,
    address,
    async signInThere(page) {
      await heading(page, 'Sign in to Customer login');
      await signIn(page, address, password);
      await page
        .getByRole('button', { name: 'Allow' })
        .or(page.getByRole('heading', { name: 'Hello Ann Birch' }))
        .first()
        .waitFor();
      if (await page.getByRole('button', { name: 'Allow' }).isVisible()) await press(page, 'Allow');
    },
  });
});

describeUnless(skip || withoutSimplesamlphp())('Debian’s SimpleSAMLphp', () => {
  async function arranged() {
    const customer = await createCustomer(signIns().stack, dns);
    const address = `ann@${customer.domain}`;
    const login = { login: 'ann', password: 'her password', attributes: { mail: [address], displayName: ['Ann Birch'] } };
    const idp = await startSimplesamlphp(cleanup, [login]);
    const made = await customer.connect({ type: 'saml' });
    const app: SamlApp = { spEntityId: made.spEntityId, acsUrl: made.acsUrl };
    idp.register([app]);
    await customer.change(made.id, { saml: { metadataXml: await idp.metadata() }, status: 'active' });
    return { customer, address, idp, app, id: String(made.id) };
  }
  async function signInThere(page: Page): Promise<void> {
    await page.locator('#username').fill('ann');
    await page.locator('#password').fill('her password');
    await page.locator('#submit_button').click();
  }
  /** The form that the provider's page posts, as another browser could send it again. */
  function formsOf(page: Page): string[] {
    const forms: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/acs')) forms.push(request.postData() ?? '');
    });
    return forms;
  }
  async function post(page: Page, action: string, form: Readonly<Record<string, string>>): Promise<void> {
    const inputs = Object.entries(form).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
    await page.goto('about:blank');
    await page.setContent(`<form method="post" action="${action}">${inputs.join('')}<button>Go</button></form>`);
    await press(page, 'Go');
  }
  const problem = (page: Page, text: RegExp) => page.getByText(text).waitFor();

  test('signs a customer’s person in', async () => {
    const { customer, address } = await arranged();
    await signsIn({ customer, address, signInThere });
  });

  test('whose answer is replayed, meant for another organization, or changed, signs nobody in', async () => {
    const { customer, address, idp, app } = await arranged();
    const other = await createCustomer(signIns().stack, dns);
    const made = await other.connect({ type: 'saml' });
    idp.register([app, { spEntityId: made.spEntityId, acsUrl: made.acsUrl }]);
    await other.change(made.id, { saml: { metadataXml: await idp.metadata() }, status: 'active' });

    const { page } = await begin(address);
    const forms = formsOf(page);
    await signInThere(page);
    await heading(page, 'Hello Ann Birch');
    const [response = '', state = ''] = ['SAMLResponse', 'RelayState'].map((name) => new URLSearchParams(forms[0]).get(name) ?? '');

    // The same form again, in this browser and in another one.
    await post(page, app.acsUrl, { SAMLResponse: response, RelayState: state });
    await problem(page, /begun elsewhere/);
    const thief = await open();
    await post(thief.page, app.acsUrl, { SAMLResponse: response, RelayState: state });
    await problem(thief.page, /begun elsewhere/);

    // At another organization, and changed on the way, each for a sign-in that is under way.
    const text = Buffer.from(response, 'base64').toString();
    const changed = Buffer.from(text.replaceAll(address, `owner@${customer.domain}`)).toString('base64');
    for (const [action, domain, forged] of [
      [made.acsUrl, other.domain, response],
      [app.acsUrl, customer.domain, changed],
    ] as const) {
      const victim = await begin(`bob@${domain}`);
      await victim.page.locator('#username').waitFor();
      await post(victim.page, action, { SAMLResponse: forged, RelayState: victim.states.at(-1) ?? '' });
      await problem(victim.page, /cancelled or refused/);
    }
    expect(await other.members()).toHaveLength(1);
    expect((await customer.members()).filter(({ email }) => email.startsWith('owner@'))).toStrictEqual([]);
  });

  test('as it is set up at first, or signing too little, signs nobody in, and the log says why', async () => {
    const { customer, address, idp, app } = await arranged();
    const persistent = `'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', 'authproc' => [1 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid']]`;
    for (const [more, reason] of [
      [`'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'`, /one that stays/],
      [`${persistent}, 'saml20.sign.assertion' => false`, /signed/],
    ] as const) {
      idp.register([{ ...app, more }]);
      const { page } = await begin(address);
      await signInThere(page);
      await problem(page, /cancelled or refused/);
      expect((await customer.reasons())[0]).toMatch(reason);
    }
    expect(await customer.members()).toHaveLength(1);
  });

  test('cannot begin a sign-in by itself', async () => {
    const { customer, idp, app } = await arranged();
    const { page } = await open();
    await page.goto(idp.startUrl(app));
    await signInThere(page);
    await problem(page, /begun elsewhere/);
    expect(await customer.members()).toHaveLength(1);
  });
});
