/** Connections in the console: made, tested at a real provider, mapped, switched on, deleted. */
import { afterAll, expect } from '@jest/globals';
import { generateSync } from 'otplib';
import { startUpstream, upstreamClient } from '../../../services/identity/src/testing/upstream.ts';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, open, press, startStackOnce } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { openDns } from '../../support/dns.ts';
import { testUnless } from '../../support/unless.ts';
import { builtInRole, dataOf, PASSWORD } from '../../support/world.ts';

const dns = await openDns();
const upstream = await startUpstream();
afterAll(async () => {
  await upstream.stop();
  await dns.close();
});
startStackOnce({ env: { DOMAINS_DNS_SERVERS: dns.server, WEBHOOK_ALLOW_PRIVATE: 'true' } });

const person = { sub: 'birch-0042', name: 'Ada Birch', email: 'ada@birch.example.com', email_verified: true };

let proven: Promise<void> | undefined;

/** Once for all tests of the file. */
function proveDomain(): Promise<void> {
  proven ??= prove();
  return proven;
}

async function prove() {
  const { owner, organization } = await team();
  const scope = { tenant: 'organization', id: organization.id };
  const domain = dataOf(await owner.client.post('/api/domains', { scope, domain: 'birch.example.com' }, owner.token));
  dns.show(domain.challenge.name, { texts: [domain.challenge.value] });
  dataOf(await owner.client.post(`/api/domains/${domain.id}/verify`, { scope }, owner.token));
}

testUnless(skip)('an Owner makes a connection, tests it, maps roles with a preview, and switches it on', async () => {
  const { owner, organization } = await team();
  const { page, complaints } = await visit(owner, pathOf(organization, 'connections'));
  await heading(page, 'Single sign-on');
  await page.getByText('No connection yet').waitFor();
  await page.getByText('Prove a domain first').waitFor();
  await look(page, 'connections-none');

  await press(page, 'New connection');
  const form = page.getByRole('dialog', { name: 'New connection' });
  await form.getByLabel('Name').fill('Birch login');
  await form.getByLabel('Issuer').fill(upstream.issuer);
  await form.getByLabel('Client ID').fill(upstreamClient.clientId);
  await form.getByRole('textbox', { name: 'Client secret' }).fill('not the one of the provider');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Choose a role.').waitFor();
  await look(page, 'connection-new');
  await pick(page, 'Default role', 'Viewer');
  await form.getByRole('button', { name: 'Create' }).click();
  await heading(page, 'Birch login');
  await look(page, 'connection-draft');
  const { items } = dataOf(await owner.client.get(`/api/connections?${inScope(organization)}`, owner.token));
  upstream.register([items[0].callbackUrl]);
  upstream.awaits(person);

  // What is wrong is named, in words.
  await press(page, 'Test the connection');
  await page.getByText('The provider does not take the client ID or the secret.').waitFor();
  await look(page, 'connection-test-failed');
  await press(page, 'Edit');
  await page.getByRole('textbox', { name: 'New client secret' }).fill(upstreamClient.clientSecret);
  await press(page, 'Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'Test the connection');
  await page.getByText('No domain is proven yet').waitFor();
  await proveDomain();
  await press(page, 'Test the connection');
  await page.getByText('This person would be signed in.').waitFor();
  const result = page.getByRole('region', { name: 'Result of the test' });
  await result.getByText(person.sub).first().waitFor();
  await result.getByText('proven by you', { exact: true }).waitFor();
  await look(page, 'connection-tested');

  await press(page, 'Edit mapping');
  const mapping = page.getByRole('dialog', { name: 'Roles by claims' });
  await mapping.getByRole('button', { name: 'Add a line' }).click();
  await mapping.getByLabel('Claim or attribute').fill('name');
  await mapping.getByLabel('Value of the claim').fill('Ada');
  await pick(page, 'Gives the role', 'Admin');
  await mapping.getByRole('cell', { name: 'Viewer (default)' }).first().waitFor();
  await mapping.getByLabel('Value of the claim').fill('Ada Birch');
  await mapping.getByRole('cell', { name: 'Admin', exact: true }).first().waitFor();
  await look(page, 'connection-mapping');
  await mapping.getByRole('button', { name: 'Save' }).click();
  await mapping.waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Roles by claims' }).getByText('Ada Birch').waitFor();

  await press(page, 'Switch on');
  const on = page.getByRole('dialog', { name: 'Switch on' });
  await on.getByRole('button', { name: 'Switch on' }).waitFor();
  expect(await on.getByText('No test has passed').count()).toBe(0);
  await on.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('On', { exact: true }).waitFor();
  await page.getByText('Nobody has signed in by it yet.').waitFor();
  await look(page, 'connection-on');
  expect(await page.getByRole('button', { name: 'Demand it' }).isDisabled()).toBe(true);

  await press(page, 'Owners for emergencies');
  await look(page, 'connection-owners');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // By the keyboard alone: the question has the focus, and Escape leaves it.
  await page.getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('textbox').waitFor();
  await page.keyboard.type('Birch login');
  await page.keyboard.press('Enter');
  await heading(page, 'Single sign-on');
  await page.getByText('No connection yet').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a SAML connection shows what the provider asks for, and is switched on untested with a warning alone', async () => {
  const { owner, organization } = await team();
  const { page, complaints } = await visit(owner, pathOf(organization, 'connections'));
  await press(page, 'New connection');
  const form = page.getByRole('dialog', { name: 'New connection' });
  await pick(page, 'Kind', 'SAML 2.0');
  await form.getByLabel('Name').fill('Birch by SAML');
  await pick(page, 'Default role', 'Viewer');
  await form.getByRole('button', { name: 'Create' }).click();
  await heading(page, 'Birch by SAML');
  await page.getByText('ACS URL (reply URL)').waitFor();
  expect(await page.getByRole('button', { name: 'Test the connection' }).isDisabled()).toBe(true);
  await look(page, 'connection-saml');
  await press(page, 'Enter metadata');
  const metadata = page.getByRole('dialog', { name: 'Metadata of the provider' });
  await metadata.getByText('Metadata as XML').click();
  await metadata.getByRole('textbox', { name: 'Metadata as XML' }).fill('<a/>');
  await metadata.getByRole('button', { name: 'Save' }).click();
  await metadata.getByText(/is no usable metadata/).waitFor();
  await look(page, 'connection-metadata');
  await metadata.getByRole('button', { name: 'Cancel' }).click();
  await press(page, 'Switch on');
  await page.getByRole('dialog', { name: 'Switch on' }).getByText('No test has passed since its last change.').waitFor();
  await look(page, 'connection-untested');
  expect(complaints).toStrictEqual([]);
});

async function connectionByApi() {
  const { owner, organization } = await team();
  const body = {
    scope: organization,
    type: 'oidc',
    name: 'Birch login',
    oidc: { issuer: upstream.issuer, ...upstreamClient },
    defaultRoleId: await builtInRole(owner, organization, 'Viewer'),
  };
  const { id, callbackUrl, signInUrl } = dataOf(await owner.client.post('/api/connections', body, owner.token));
  const read = async () => dataOf(await owner.client.get(`/api/connections/${id}?${inScope(organization)}`, owner.token));
  const change = async (fields: object) =>
    dataOf(await owner.client.patch(`/api/connections/${id}`, { scope: organization, ...fields }, owner.token));
  return { path: pathOf(organization, `connections/${id}`), callbackUrl, signInUrl, read, change };
}

testUnless(skip)('an Owner reads what it opens before more is believed of a provider; an Admin may take it back alone', async () => {
  const { owner } = await team();
  const connection = await connectionByApi();
  const admin = await visit(await memberOf(await team(), 'Admin'), connection.path);
  await admin.page.getByText('An Owner alone switches these on.', { exact: true }).waitFor();
  expect(await admin.page.getByRole('button', { name: 'Decide' }).count()).toBe(0);

  const { page, complaints } = await visit(owner, connection.path);
  await press(page, 'Decide');
  const form = page.getByRole('dialog', { name: 'What the provider is believed' });
  const opens = form.getByRole('status');
  const link = form.getByRole('checkbox', { name: 'Link existing accounts without asking their person' });
  await link.waitFor();
  expect(await opens.count()).toBe(0);
  await link.check();
  await opens.getByText(/can then come in here as each person with such an address/).waitFor();
  const values = form.getByRole('combobox', { name: 'Values that count as a second factor' });
  await values.fill('urn:example:mfa');
  await values.press('Enter');
  await opens.getByText(/is asked for no second factor here/).waitFor();
  await look(page, 'connection-trust');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('urn:example:mfa').waitFor();
  await look(page, 'connection-believed');
  expect(await connection.read()).toMatchObject({ linkOnProvenDomain: true, trustedAcr: ['urn:example:mfa'] });

  await admin.page.reload();
  await press(admin.page, 'Take back');
  const back = admin.page.getByRole('dialog', { name: 'What the provider is believed' });
  await back.getByRole('checkbox').uncheck();
  await back.getByText('The sessions that came by what you take back end at once.').waitFor();
  await look(admin.page, 'connection-trust-back');
  await back.getByRole('button', { name: 'Save' }).click();
  await back.waitFor({ state: 'detached' });
  expect(await connection.read()).toMatchObject({ linkOnProvenDomain: false, trustedAcr: ['urn:example:mfa'] });
  expect([...complaints, ...admin.complaints]).toStrictEqual([]);
});

testUnless(skip)('an Owner sees who would be shut out, demands the provider, and a member is led there', async () => {
  const { owner, organization } = await team();
  await proveDomain();
  const connection = await connectionByApi();
  upstream.register([connection.callbackUrl]);
  await connection.change({ status: 'active' });
  const member = await memberOf(await team(), 'Viewer');
  const said = { email: 'bob@birch.example.com', email_verified: true, groups: ['staff', 'Editors'] };
  const who = { sub: 'birch-0043', name: 'Bob Birch', ...said };
  upstream.awaits(who);
  const bob = await open();
  await bob.page.goto(connection.signInUrl);
  await bob.page.getByRole('button', { name: /^Continue as Bob Birch/ }).click();
  await heading(bob.page, 'Hello Bob Birch');

  // What a mapping would change for who has signed in, while it is edited; nothing is saved.
  const editor = await visit(owner, connection.path);
  await press(editor.page, 'Edit mapping');
  const draft = editor.page.getByRole('dialog', { name: 'Roles by claims' });
  await draft.getByText('Of the last sign-ins 1 were looked at. No one gains or loses a role.').waitFor();
  await draft.getByRole('button', { name: 'Add a line' }).click();
  await draft.getByLabel('Claim or attribute').fill('groups');
  await draft.getByLabel('Value of the claim').fill('Editors');
  await pick(editor.page, 'Gives the role', 'Dev');
  const preview = draft.getByRole('table', { name: 'What it changes at the next sign-ins' });
  await preview.getByText('Bob Birch').waitFor();
  await preview.getByText('groups = staff, Editors').waitFor();
  expect(await preview.getByRole('row').nth(1).getByRole('cell').nth(2).innerText()).toBe('Dev');
  expect(await preview.getByRole('row').nth(1).getByRole('cell').nth(3).innerText()).toBe('Viewer');
  await look(editor.page, 'connection-mapping-sign-ins');
  await draft.getByLabel('Claim or attribute').fill('email');
  await draft.getByText('Of these claims nothing is kept, or nobody has them: email.').waitFor();
  await editor.page.keyboard.press('Escape');
  expect((await connection.read()).roleMapping).toStrictEqual([]);

  // Named Owners have a second factor; a new one ends the sessions from before.
  const { factor, secret } = dataOf(await owner.client.post('/api/me/second-factors/totp', {}, owner.token));
  const early = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 });
  dataOf(await owner.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code: early }, owner.token));
  const { page, complaints } = await open();
  await page.goto(at(connection.path));
  await page.getByLabel('Email address').fill(owner.email);
  await press(page, 'Continue');
  await page.locator('input[type="password"]:focus').fill(PASSWORD);
  await press(page, 'Sign in');
  await page.getByLabel('Code').fill(generateSync({ secret }));
  await heading(page, 'Birch login');
  await page.getByText('No Owner with a second factor is named for emergencies.').waitFor();
  await press(page, 'Owners for emergencies');
  const names = page.getByRole('dialog', { name: 'Owners for emergencies' });
  await names.getByRole('combobox').press('ArrowDown');
  await page.getByRole('option', { name: /^Olga Owner/ }).click();
  await page.keyboard.press('Tab');
  await names.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const shutOut = page.getByRole('table', { name: 'Who would be shut out' });
  await shutOut.getByText(member.email).waitFor();
  expect(await shutOut.getByText(who.email).count()).toBe(0);
  await look(page, 'connection-shut-out');
  await press(page, 'Demand it');
  const demand = page.getByRole('dialog', { name: 'Demand it' });
  await demand.getByRole('textbox').fill('Birch login');
  await demand.getByRole('button', { name: 'Demand it' }).click();
  await page.getByText('Members come by this connection now.').waitFor();

  const again = await open();
  await again.page.goto(at('/auth/sign-in'));
  await again.page.getByLabel('Email address').fill(who.email);
  await press(again.page, 'Continue');
  await heading(again.page, 'Hello Bob Birch');
  const refused = await member.client.get(`/api/roles?${inScope(organization)}`, member.token);
  expect([refused.status, refused.body.code]).toStrictEqual([403, 'CONNECTION_REQUIRED']);
  expect([...complaints, ...again.complaints, ...editor.complaints]).toStrictEqual([]);
});
