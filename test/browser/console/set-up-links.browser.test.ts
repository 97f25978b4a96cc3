/**
 * A set-up link from the Owner's console to a person of the customer who signs in by what its IT
 * has entered: a DNS server and an identity provider of the test, and browsers without an account.
 */
import { afterAll, expect } from '@jest/globals';
import { startUpstream, upstreamClient } from '../../../services/identity/src/testing/upstream.ts';
import { look as lookAt, skip } from '../../support/browser/browser.ts';
import { at, heading, open, press, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { choose, look, pathOf, team, visit } from '../../support/console/start.ts';
import { openDns } from '../../support/dns.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

const dns = await openDns();
const upstream = await startUpstream();
afterAll(async () => {
  await dns.close();
  await upstream.stop();
});
startStackOnce({ env: { DOMAINS_DNS_SERVERS: dns.server, WEBHOOK_ALLOW_PRIVATE: 'true' } });

testUnless(skip)('an Owner makes a link, the IT of the customer sets up domain and provider, and a person signs in by them', async () => {
  const { owner, organization } = await team();
  const console = await visit(owner, pathOf(organization, 'set-up-links'));
  await heading(console.page, 'Set-up links');
  await console.page.getByText('No links yet').waitFor();
  await press(console.page, 'Make a link');
  const form = console.page.getByRole('dialog', { name: 'Make a link' });
  await form.getByLabel('Send it to').fill('it@birch.example.com');
  await form.getByLabel('Also a token for SCIM').check();
  await look(console.page, 'set-up-link-make');
  await form.getByRole('button', { name: 'Make a link' }).click();
  const shown = console.page.getByRole('dialog', { name: 'The link' });
  const url = await shown.locator('code').first().innerText();
  await look(console.page, 'set-up-link-made');
  await shown.getByRole('checkbox').check();
  await shown.getByRole('button', { name: 'Done' }).click();
  const mail = await waitForMail(signIns().stack.dataDir, 'it@birch.example.com', 'set-up-link');
  expect(mail.data.url).toBe(url);

  const it = await open();
  const requested: string[] = [];
  it.context.on('request', (request) => requested.push(request.url(), request.headers()['referer'] ?? ''));
  await it.page.goto(url);
  await heading(it.page, 'Set up the sign-in of your organization');
  await lookAt(it.page, 'set-up-begin');
  const token = new URL(url).hash.slice('#token='.length);
  expect(it.page.url()).not.toContain(token);
  await press(it.page, 'Begin');
  await heading(it.page, 'Sign-in of Birch & Sons');
  await it.page.getByText('Olga Owner asks you').waitFor();
  // Sent once, in a body: in no address, and in no Referer.
  expect(requested.length).toBeGreaterThan(3);
  expect(requested.filter((one) => one.includes(token))).toStrictEqual([]);
  expect(await it.page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage, cookie: document.cookie })')).not.toContain(token);

  // A second browser with the same link is told, and sees nothing.
  const other = await open();
  await other.page.goto(url);
  await press(other.page, 'Begin');
  await other.page.getByText('This link is in use in another browser').waitFor();
  await other.page.goto(it.page.url());
  await other.page.getByText('belongs to another browser').waitFor();
  expect(await other.page.getByText('Birch').count()).toBe(0);

  await it.page.getByLabel('Domain', { exact: true }).fill('gmail.com');
  await press(it.page, 'Add the domain');
  await it.page.getByText(/belongs to a mail provider/).waitFor();
  await it.page.getByLabel('Domain', { exact: true }).fill('birch.example.com');
  await press(it.page, 'Add the domain');
  const check = it.page.getByRole('button', { name: 'Check birch.example.com now' });
  await check.click();
  await it.page.getByText('There is no TXT record of this name yet.').waitFor();
  const [name = '', value = ''] = await it.page.locator('.set-up-domain code').allInnerTexts();
  dns.show(name, { texts: [value] });
  await check.click();
  await it.page.getByText('Proven', { exact: true }).waitFor();

  for (const [provider, kind] of [
    ['Okta', 'SAML 2.0'],
    ['Google', 'OpenID Connect'],
    ['Microsoft Entra', 'SAML 2.0'],
    ['Another one', 'OpenID Connect'],
  ] as const) {
    await it.page.getByLabel(provider, { exact: true }).check();
    await it.page.getByLabel(kind, { exact: true }).check();
    await it.page.getByText(`What to fill in at ${provider}`).waitFor();
    if (provider === 'Microsoft Entra') await lookAt(it.page, 'set-up-saml');
  }
  const callback = (await it.page.locator('.to-copy code').allInnerTexts()).find((text) => text.includes('/callback')) ?? '';
  upstream.register([callback]);
  await it.page.getByLabel('Name of the connection').fill('Birch login');
  await it.page.getByLabel('Issuer').fill(`${upstream.issuer}/nothing`);
  await it.page.getByLabel('Client ID').fill(upstreamClient.clientId);
  await it.page.getByLabel('Client secret', { exact: true }).fill(upstreamClient.clientSecret);
  await press(it.page, 'Save the connection');
  await it.page.getByText('gave no usable discovery document').waitFor();
  await it.page.getByLabel('Issuer').fill(upstream.issuer);
  await press(it.page, 'Save the connection');
  await it.page.getByText('Nobody signs in by it before Birch & Sons').waitFor();
  const person = { sub: 'grace', name: 'Grace Hopper', email: 'grace@birch.example.com', email_verified: true };
  upstream.awaits(person);
  await press(it.page, 'Test the connection');
  await it.page.getByText('The provider answers as it should').waitFor();
  await it.page.getByRole('region', { name: 'Result of the test' }).getByText(person.email).first().waitFor();
  await lookAt(it.page, 'set-up-tested');
  await press(it.page, 'Make the token');
  await it.page.getByText('It is shown only now.').waitFor();
  await lookAt(it.page, 'set-up');
  await it.page.reload();
  await heading(it.page, 'Sign-in of Birch & Sons');
  await press(it.page, 'I am done');
  await heading(it.page, 'Thank you, that is all');
  await lookAt(it.page, 'set-up-done');

  const { data } = await waitForMail(signIns().stack.dataDir, owner.email, 'set-up-finished');
  expect(data).toMatchObject({ connectionName: 'Birch login', proven: 'birch.example.com', unproven: '–' });
  await console.page.reload();
  await console.page.getByRole('row').filter({ hasText: 'it@birch.example.com' }).getByText('Finished').waitFor();
  await look(console.page, 'set-up-links');

  const [{ connectionId }] = dataOf(await owner.client.get(`/api/connections/set-up-links?${inScope(organization)}`, owner.token)).items;
  dataOf(await owner.client.patch(`/api/connections/${connectionId}`, { scope: organization, status: 'active' }, owner.token));
  const { location } = await fetchRedirect(at(`/api/auth/connections/${connectionId}`));
  expect(location.origin).toBe(upstream.issuer);
  expect(await upstream.approve(location, person)).toMatchObject({ pathname: new URL(callback).pathname });

  const rows = dataOf(await owner.client.get(`/api/audit-events?${inScope(organization, 'limit=100')}`, owner.token)).items;
  const byLink = rows.filter(({ detail }: { detail: { setUpLinkId?: string } }) => detail.setUpLinkId !== undefined);
  const actions = byLink.map(({ action }: { action: string }) => action);
  for (const action of [
    'set-up-link.begun',
    'set-up-link.refused',
    'domain.created',
    'domain.verified',
    'connection.created',
    'connection.tested',
    'set-up-link.finished',
  ])
    expect(actions).toContain(action);
  expect([it.complaints, console.complaints]).toStrictEqual([[], []]);
});

testUnless(skip)('a revoked link says so to the browser that has begun', async () => {
  const { owner, organization } = await team();
  const made = dataOf(
    await owner.client.post('/api/connections/set-up-links', { scope: organization, email: 'two@birch.example.com' }, owner.token),
  );
  const it = await open();
  await it.page.goto(made.url);
  await press(it.page, 'Begin');
  await heading(it.page, 'Sign-in of Birch & Sons');
  const console = await visit(owner, pathOf(organization, 'set-up-links'));
  await choose(console.page, 'two@birch.example.com', 'Revoke the link');
  await console.page.getByRole('dialog').getByRole('button', { name: 'Revoke the link' }).click();
  await console.page.getByRole('row').filter({ hasText: 'two@birch.example.com' }).getByText('Revoked').waitFor();
  await it.page.reload();
  await it.page.getByText('This link no longer works.').waitFor();
  await lookAt(it.page, 'set-up-ended');
});

async function fetchRedirect(url: string): Promise<{ readonly location: URL }> {
  const answer = await fetch(url, { redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } });
  return { location: new URL(answer.headers.get('location') ?? url) };
}
