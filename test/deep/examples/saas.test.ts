/** examples/saas with the packages as they are packed: two customers, from sign-up to their API. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, expect } from '@jest/globals';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { grant as makeAdministrator } from '../../../tools/platform/administrators.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { skip } from '../../support/browser/browser.ts';
import { heading, linkTo, newAddress, open, password, press, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { createClient, inScope } from '../../support/client.ts';
import { unpackPackages } from '../../support/packages/unpack.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { createOrganization, createPerson, dataOf } from '../../support/world.ts';

// The receiver of webhooks is on this machine, and all people come from it.
startStackOnce({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

/** What the vendor does once, as the example's README says it; then the application runs. */
async function startExample() {
  const { stack } = signIns();
  const folder = unpackPackages(cleanup, ['client', 'verifier'], ['express', 'openid-client', 'standardwebhooks']);
  cpSync(join(repositoryFolder, 'examples', 'saas'), folder, { recursive: true });
  const vendor = await createPerson(stack, { name: 'Vera Vendor' });
  const organization = await createOrganization(vendor, 'Vendor');
  const administrator = await createPerson(stack);
  const identity = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
  await identity.connect();
  await makeAdministrator(identity, administrator.email).finally(() => identity.end());
  dataOf(await administrator.client.patch(`/api/platform/tenants/${organization.id}`, { canProvision: true }, administrator.token));
  const url = `http://127.0.0.1:${await choosePort(0, '127.0.0.1')}`;
  const env = { PATH: process.env['PATH'], TESSERA_URL: stack.url, TESSERA_TOKEN: vendor.token, APP_URL: url };
  await promisify(execFile)(process.execPath, ['setup.js'], { cwd: folder, env });
  const child = spawn(process.execPath, ['--env-file=.env', 'server.js'], { cwd: folder, env: {}, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until(async () => (await fetch(url).catch(() => undefined))?.status === 200);
  return { url, settings: parseEnv(readFileSync(join(folder, '.env'), 'utf8')) };
}

/** A customer signs up, takes the mail's invitation, and signs in to the product. */
async function signUp(page: Page, url: string, company: string, name: string): Promise<string> {
  const address = newAddress();
  await page.goto(`${url}/sign-up`);
  await page.getByLabel('Company').fill(company);
  await page.getByLabel('Email').fill(address);
  await press(page, 'Sign up');
  await heading(page, 'Check your inbox');
  await page.goto(await linkTo(address, 'invitation'));
  await press(page, 'Accept invitation');
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account and join');
  await heading(page, 'You are in');
  await page.goto(`${url}/auth/sign-in`);
  await heading(page, 'Allow Ledger?');
  await press(page, 'Allow');
  await heading(page, 'Invoices');
  return address;
}

async function makeBookkeeper(page: Page, url: string, name: string): Promise<void> {
  await page.getByText('You may not read invoices yet').waitFor();
  await page.goto(`${url}/people`);
  await page.getByLabel(`Role of ${name}`).selectOption({ label: 'Bookkeeper' });
  await press(page, 'Save');
  await page.getByLabel('Number').waitFor();
}

/** A key that the Owner makes at Tessera, exchanged for a token as a program does it. */
async function tokenOfKey(owner: string, projectId: string, role: string): Promise<string> {
  const { stack } = signIns();
  const client = createClient(stack.url);
  const login = { provider: 'email', providerId: owner, providerData: { password } };
  const { accessToken: token } = dataOf(await client.post('/api/auth/login', login));
  const { organizations } = dataOf(await client.get('/api/me?relations=organizations', token));
  const scope = { tenant: 'organizationProject', id: `${organizations[0].id}:${projectId}` };
  const { items } = dataOf(await client.get(`/api/roles?${inScope(scope, 'limit=100')}`, token));
  const roleId = items.find(({ name }: { readonly name: string }) => name === role).id;
  const { clientId, clientSecret } = dataOf(await client.post('/api/api-keys', { scope, name: `${role} key`, roleId }, token));
  return dataOf(await client.post('/api/auth/token', { clientId, clientSecret, scope })).accessToken;
}

testUnless(skip)('two customers sign up, give roles and keys, and neither sees the other', async () => {
  const { url, settings } = await startExample();
  const projectId = String(settings['PROJECT']);
  const api = async (token: string, method = 'GET', path = '') => {
    const answer = await fetch(`${url}/api/invoices${path}`, { method, headers: token === '' ? {} : { authorization: `Bearer ${token}` } });
    return [answer.status, Object(await answer.json()).invoices];
  };
  const [acme, birch] = [await open(), await open()];
  const ada = await signUp(acme.page, url, 'Acme', 'Ada Acme');
  await makeBookkeeper(acme.page, url, 'Ada Acme');
  await acme.page.getByLabel('Number').fill('A-1');
  await press(acme.page, 'Add');
  await acme.page.getByRole('listitem').getByText('A-1').waitFor();
  const reader = await tokenOfKey(ada, projectId, 'Reader');
  expect([await api(''), await api(reader), await api(reader, 'POST', '/A-2')]).toStrictEqual([
    [401, undefined],
    [200, ['A-1']],
    [403, undefined],
  ]);

  const ben = await signUp(birch.page, url, 'Birch', 'Ben Birch');
  await makeBookkeeper(birch.page, url, 'Ben Birch');
  expect(await birch.page.getByText('A-1').count()).toBe(0);
  await acme.page.goto(`${url}/keys`);
  await acme.page.getByRole('cell', { name: 'Reader key' }).waitFor();
  const writer = await tokenOfKey(ben, projectId, 'Bookkeeper');
  expect([await api(writer, 'POST', '/B-1'), await api(writer), await api(reader)]).toStrictEqual([
    [201, undefined],
    [200, ['B-1']],
    [200, ['A-1']],
  ]);

  // Tessera told the product who became a bookkeeper, and each customer sees what is its own.
  for (const { page } of [acme, birch]) {
    await until(async () => {
      await page.goto(`${url}/people`);
      return (await page.getByRole('list', { name: 'Events' }).innerText()).includes('grantMember.assigned');
    });
    expect(await page.getByRole('row').count()).toBe(1);
  }
  const forged = await fetch(`${url}/hooks/tessera`, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(400);
  await press(acme.page, 'Sign out');
  await heading(acme.page, /Sign out/);
  expect([...acme.complaints, ...birch.complaints]).toStrictEqual([]);
});
