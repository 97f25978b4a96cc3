/** Where the links of mails lead: a new password, an invitation, and links that do not work. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look, skip } from '../../support/browser/browser.ts';
import {
  at,
  fillRegistration,
  follow,
  heading,
  linkTo,
  newAddress,
  open,
  password,
  press,
  register,
  shareStack,
  signIn,
} from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('a forgotten password: mail, new password, sign-in; the link works once', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('Email address').fill(address);
  await follow(page, 'Forgot your password?');
  await look(page, '13-forgot');
  expect(await page.getByLabel('Email address').inputValue()).toBe(address);
  await press(page, 'Send the link');
  await heading(page, 'Check your inbox');
  await look(page, '14-forgot-sent');
  const link = await linkTo(address, 'reset-password');
  await page.goto(link);
  await page.getByLabel('New password').fill('short');
  await press(page, 'Save new password');
  await look(page, '15-reset-faults');
  await page.getByLabel('New password').fill('Another-Horse-43');
  await press(page, 'Save new password');
  await heading(page, 'Your password is changed');
  await look(page, '16-reset-done');
  await follow(page, 'Sign in');
  await signIn(page, address, 'Another-Horse-43');
  await heading(page, /^Hello/);
  await page.goto(link);
  await page.getByText(/You are signed in as/).waitFor();
  await look(page, '17-reset-signed-in');
  await page.getByLabel('New password').fill('Third-Horse-44');
  await press(page, 'Save new password');
  await heading(page, 'This link no longer works');
  await look(page, '18-reset-dead');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an invitation: a new person registers and joins, a known one joins, another one is told', async () => {
  const owner = await open();
  await register(owner, 'Olga Owner');
  await follow(owner.page, /Continue as/);
  await owner.page.getByLabel('Name of a new organization').fill('Birch & Sons <b>');
  await owner.page.getByRole('button', { name: 'Create', exact: true }).first().click();
  await heading(owner.page, 'Birch & Sons <b>');
  const known = newAddress();
  const invite = (email: string) => inviteAs(owner.page, email);

  const stranger = newAddress();
  await invite(stranger);
  const newcomer = await open();
  const link = await linkTo(stranger, 'invitation');
  await newcomer.page.goto(link);
  await heading(newcomer.page, 'Join Birch & Sons <b>');
  expect(newcomer.page.url()).toBe(at('/invitations/accept'));
  await look(newcomer.page, '19-invitation');
  await press(newcomer.page, 'Accept invitation');
  await newcomer.page.getByLabel('Your name').fill('Nora New');
  await newcomer.page.getByLabel('Password', { exact: true }).fill(password);
  await look(newcomer.page, '20-invitation-register');
  await press(newcomer.page, 'Create account and join');
  await heading(newcomer.page, 'You are in');
  await look(newcomer.page, '21-invitation-done');
  await follow(newcomer.page, 'Continue');
  await heading(newcomer.page, 'Hello Nora New');
  await newcomer.page.goto(link);
  await heading(newcomer.page, 'This invitation is no longer open');
  await look(newcomer.page, '22-invitation-closed');

  const member = await open();
  await member.page.goto(at('/auth/register'));
  await fillRegistration(member.page, known, 'Kim Known');
  await member.page.goto(await linkTo(known, 'verify-email'));
  await press(member.page, 'Confirm address');
  await heading(member.page, 'Your address is confirmed');
  await invite(known);
  const second = await linkTo(known, 'invitation');

  await newcomer.page.goto(second);
  await press(newcomer.page, 'Accept invitation');
  await newcomer.page.getByText(/but the invitation is for/).waitFor();
  await look(newcomer.page, '23-invitation-someone-else');
  await press(newcomer.page, 'Sign out and go on');
  await newcomer.page.getByRole('button', { name: 'Accept invitation' }).waitFor();

  await member.page.goto(second);
  await press(member.page, 'Accept invitation');
  await heading(member.page, 'You are in');
  for (const { complaints } of [owner, newcomer, member]) expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an offer by mail: who has the address signs in, makes an organization and accepts', async () => {
  const owner = await open();
  await register(owner, 'Vera Vendor');
  await follow(owner.page, /Continue as/);
  await owner.page.getByLabel('Name of a new organization').fill('Globex & Sons <b>');
  await owner.page.getByRole('button', { name: 'Create', exact: true }).first().click();
  await heading(owner.page, 'Globex & Sons <b>');
  const buyer = await open();
  const address = await register(buyer, 'Bea Buyer');
  await offerAs(owner.page, address);
  const link = await linkTo(address, 'grant-offer');
  const stranger = await open();
  await stranger.page.goto(link);
  await heading(stranger.page, 'Globex & Sons <b> offers Billing');
  expect(stranger.page.url()).toBe(at('/grants/accept'));
  await look(stranger.page, '40-offer');
  await owner.page.goto(link);
  await owner.page.getByText(/but the offer is for/).waitFor();
  await look(owner.page, '41-offer-someone-else');
  await buyer.page.goto(link);
  await buyer.page.getByLabel('Name of a new organization').fill('Acme');
  await look(buyer.page, '42-offer-signed-in');
  await press(buyer.page, 'Create it and accept');
  await heading(buyer.page, 'Billing is yours to use');
  await look(buyer.page, '43-offer-done');
  await stranger.page.goto(link);
  await heading(stranger.page, 'This offer is not open any more');
  await stranger.page.getByLabel('Language').selectOption('de');
  await heading(stranger.page, 'Dieses Angebot ist nicht mehr offen');
  await look(stranger.page, '44-offer-closed');
  for (const { complaints } of [owner, buyer, stranger]) expect(complaints).toStrictEqual([]);
});

/** In the organization that the page has just made. */
async function offerAs(page: Page, email: string): Promise<void> {
  const script = `(async () => {
    const ask = async (method, path, body, token) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
      const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer.data;
    };
    const { accessToken } = await ask('POST', '/api/auth/refresh', {});
    const scope = { tenant: 'organization', id: location.pathname.split('/')[3] };
    const project = await ask('POST', '/api/projects', { scope, name: 'Billing' }, accessToken);
    const product = { tenant: 'organizationProject', id: scope.id + ':' + project.id };
    await ask('POST', '/api/project-grants', { scope: product, email: '${email}' }, accessToken);
  })()`;
  await page.evaluate(script);
}

/** The console has no page for it yet, so a script of the page sends the request. */
async function inviteAs(page: Page, email: string): Promise<void> {
  const script = `(async () => {
    const ask = async (method, path, body, token) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
      const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer.data;
    };
    const { accessToken } = await ask('POST', '/api/auth/refresh', {});
    const { accounts } = await ask('GET', '/api/me', undefined, accessToken);
    const scopeOf = (tenant, id) => 'tenant=' + tenant + '&scopeId=' + id;
    const { items: [organization] } = await ask('GET', '/api/organizations?' + scopeOf('account', accounts[0].id), undefined, accessToken);
    const roles = await ask('GET', '/api/roles?' + scopeOf('organization', organization.id), undefined, accessToken);
    const roleId = roles.items.find(({ name }) => /Viewer/.test(name)).id;
    const scope = { tenant: 'organization', id: organization.id };
    await ask('POST', '/api/organization-invitations/invite', { scope, email: '${email}', roleId }, accessToken);
  })()`;
  await page.evaluate(script);
}

testUnless(skip)('who did not register deletes the registration by the link of its mail', async () => {
  const [squatter, owner] = [await open(), await open()];
  await squatter.page.goto(at('/auth/register'));
  const address = newAddress();
  await fillRegistration(squatter.page, address);
  await owner.page.goto(await linkTo(address, 'verify-email'));
  await press(owner.page, 'I did not register this');
  await heading(owner.page, 'Delete this registration?');
  await look(owner.page, '37-reject-registration');
  await press(owner.page, 'Delete the registration');
  await heading(owner.page, 'The registration is deleted');
});

testUnless(skip)('a link that is opened with the session of another account says so, and leads to the account of the address', async () => {
  const [other, owner] = [await open(), await open()];
  await register(other);
  await owner.page.goto(at('/auth/register'));
  const address = newAddress();
  await fillRegistration(owner.page, address);
  await other.page.goto(await linkTo(address, 'verify-email'));
  await other.page.getByText('You are signed in as').waitFor();
  await look(other.page, '36-confirm-in-other-session');
  await press(other.page, 'Confirm address');
  await other.page.getByText('You are signed in to another account').waitFor();
  await look(other.page, '36-confirmed-in-other-session');
  await press(other.page, 'Use another account');
  await signIn(other.page, address);
  await other.page.waitForURL(/\/console\/me\/sign-in/);
});
