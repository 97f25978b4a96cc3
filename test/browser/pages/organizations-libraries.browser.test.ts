/** Libraries that know nothing of organizations, in front of an app that many of them use. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { heading, open, press, shareStack, signIn } from '../../support/browser/journey.ts';
import { allow, createPeople, createProduct } from '../../support/browser/product.ts';
import { testUnless } from '../../support/unless.ts';
import { freePort, noApache, startApache } from './openid-clients/apache.ts';
import { startForeign } from './openid-clients/start.ts';

shareStack();

testUnless(skip)('Auth.js signs in people of two organizations, and one of both, by one client id', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { url, configure } = await startForeign(cleanup, [process.execPath, 'authjs_app.mjs']);
  const product = await createProduct(`${url}/auth/callback/tessera`);
  await configure(product.client);
  const { acme, birch, ofAcme, ofBirch, both } = await createPeople(product);
  /** Whom and whose the session of the app names. */
  const isFor = async (page: Page, { email }: { readonly email: string }, { organization }: typeof acme) => {
    await page.goto(`${url}/organization`);
    await heading(page, `${email} of ${organization.id}`);
  };
  const begin = async (page: Page) => {
    await page.goto(url);
    await press(page, 'Sign in with Tessera');
  };

  for (const { person, own, other, name } of [
    { person: ofAcme, own: acme, other: birch, name: 'Acme' },
    { person: ofBirch, own: birch, other: acme, name: 'Birch' },
  ]) {
    const { page, complaints } = await open();
    await begin(page);
    await heading(page, 'Sign in to Docs');
    await signIn(page, person.email);
    await allow(page, name);
    await heading(page, `Hello ${person.email}`);
    await isFor(page, person, own);
    // Auth.js shows its own page of errors; the session stays what it was.
    const refused = page.waitForRequest((request) => request.url().includes('error=access_denied'));
    await page.goto(`${url}/for?organization=${other.organization.id}`);
    await refused;
    await isFor(page, person, own);
    expect(complaints).toStrictEqual([]);
  }

  const { page, complaints } = await open();
  await begin(page);
  await heading(page, 'Sign in to Docs');
  await signIn(page, both.email);
  await heading(page, 'Choose an organization for Docs');
  await press(page, /^Birch/);
  await allow(page, 'Birch');
  await heading(page, `Hello ${both.email}`);
  await isFor(page, both, birch);
  await page.goto(`${url}/for?organization=${acme.organization.id}`);
  await allow(page, 'Acme');
  await heading(page, `${both.email} of ${acme.organization.id}`);
  expect(complaints).toStrictEqual([]);
});

testUnless(noApache)(
  'Apache with mod_auth_openidc lets the people of an organization into its folder, and one of both into two',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const product = await createProduct(`${url}/cb`);
    const { acme, birch, ofAcme, ofBirch, both } = await createPeople(product);
    const places = { acme: acme.organization.id, birch: birch.organization.id };
    await startApache(cleanup, { ...product.client, port, places });
    /** Whom and whose the session of Apache names. */
    const isFor = async (page: Page, { email }: { readonly email: string }, path: string, { organization }: typeof acme) => {
      const answer = await page.goto(url + path);
      const headers = answer?.headers() ?? {};
      expect([answer?.status(), headers['x-user'], headers['x-organization']]).toStrictEqual([200, email, organization.id]);
    };

    for (const { person, own, folder, foreign, name } of [
      { person: ofAcme, own: acme, folder: '/acme/', foreign: '/birch/', name: 'Acme' },
      { person: ofBirch, own: birch, folder: '/birch/', foreign: '/acme/', name: 'Birch' },
    ]) {
      const { page } = await open();
      await page.goto(`${url}${folder}`);
      await heading(page, 'Sign in to Docs');
      await signIn(page, person.email);
      await allow(page, name);
      await heading(page, `In ${folder.slice(1, -1)}`);
      await isFor(page, person, folder, own);
      // Sent to the provider for the other organization, which the person is not in.
      await page.goto(`${url}${foreign}`);
      await page.waitForURL(/\/cb\?.*error=access_denied/);
      expect(await page.getByRole('heading', { name: /^In / }).count()).toBe(0);
      await isFor(page, person, folder, own);
    }

    const { page } = await open();
    await page.goto(`${url}/`);
    await heading(page, 'Sign in to Docs');
    await signIn(page, both.email);
    await heading(page, 'Choose an organization for Docs');
    await press(page, /^Birch/);
    await allow(page, 'Birch');
    await heading(page, 'In Apache');
    await isFor(page, both, '/birch/', birch);
    await page.goto(`${url}/acme/`);
    await allow(page, 'Acme');
    await heading(page, 'In acme');
    await isFor(page, both, '/acme/', acme);
    await page.goto(`${url}/birch/`);
    await heading(page, 'In birch');
    await isFor(page, both, '/birch/', birch);
  },
);
