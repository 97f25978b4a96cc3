/**
 * A stranger's first hour by the clock: Tessera starts, an application comes from an empty folder
 * and a registry, people sign in to it in a browser, its API refuses, a second customer joins.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { choosePort } from '../../../tools/stack/ports.ts';
import { skip, type Visitor } from '../../support/browser/browser.ts';
import { heading, linkTo, open, password, press, register, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { createClient } from '../../support/client.ts';
import { type Registry, startRegistry, withoutRegistry } from '../../support/packages/registry.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/world.ts';

const run = promisify(execFile);
const hourSeconds = 3_600;
const unreachable = withoutRegistry();
const cleanup = new AsyncDisposableStack();
const steps: { readonly name: string; readonly seconds: number }[] = [];
let registry: Registry;

let startedAt = 0;
beforeAll(() => {
  startedAt = performance.now();
});
startStackOnce();
beforeAll(async () => {
  steps.push({ name: 'Tessera starts, with its pages built', seconds: (performance.now() - startedAt) / 1_000 });
  // What a stranger has already: a registry with the packages.
  if (unreachable === false) registry = await startRegistry(cleanup);
}, 600_000);
afterAll(() => cleanup.disposeAsync());

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const beganAt = performance.now();
  const result = await work();
  steps.push({ name, seconds: (performance.now() - beganAt) / 1_000 });
  return result;
}

/** The client of a person who has just signed in, as the guide does it. */
async function clientOf(email: string) {
  const client = createClient(signIns().stack.url, `terminal of ${email}`);
  const credentials = { provider: 'email', providerId: email, providerData: { password } };
  const { accessToken: token } = dataOf(await client.post('/api/auth/login', credentials));
  return { client, token: String(token), me: dataOf(await client.get('/api/me?relations=organizations', token)) };
}

async function makeApplication(token: string): Promise<{ readonly folder: string; readonly port: number }> {
  const port = await choosePort(0, '127.0.0.1');
  const place = registry.emptyFolder('home');
  const options = ['--framework', 'express', '--yes', '--url', signIns().stack.url, '--port', String(port)];
  await run('npm', ['create', '--yes', 'tessera@latest', 'notes', '--', ...options], {
    cwd: place,
    env: { ...registry.env, TESSERA_TOKEN: token },
  });
  return { folder: join(place, 'notes'), port };
}

async function startApplication(folder: string, url: string): Promise<void> {
  const child = spawn(process.execPath, ['--env-file=.env', 'server.js'], { cwd: folder, env: {}, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until(async () => (await statusOf(`${url}/`)) === 200);
}

function statusOf(url: string, init?: RequestInit): Promise<number> {
  return fetch(url, init).then(
    ({ status }) => status,
    () => 0,
  );
}

async function allowNotes({ page }: Visitor, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await heading(page, 'Allow notes?');
  await press(page, 'Allow');
}

testUnless(unreachable || skip)(
  'within an hour: a page that one signs in to, an API that refuses, and a second customer with rights of its own',
  async () => {
    const owner = await open();
    const email = await step('registered in the browser, address confirmed', () => register(owner, 'Olga Owner'));
    const { client, token } = await clientOf(email);
    const { folder, port } = await step('npm create tessera', () => makeApplication(token));
    const url = `http://localhost:${port}`;
    await step('npm install', () => registry.npm(folder, 'install'));
    await step('the application answers', () => startApplication(folder, url));
    await step('signed in to the application', async () => {
      await allowNotes(owner, url);
      await heading(owner.page, 'Hello Olga Owner');
    });
    await step('the API refuses: no token, and a token of another application', async () => {
      expect(await statusOf(`${url}/api/notes`)).toBe(401);
      expect(await statusOf(`${url}/api/notes`, { headers: { authorization: `Bearer ${token}` } })).toBe(401);
    });

    const { organizations } = (await clientOf(email)).me;
    const parent = { tenant: 'organization', id: organizations[0].id };
    const { items: projects } = dataOf(await client.get(`/api/projects?tenant=${parent.tenant}&scopeId=${parent.id}`, token));
    const projectId = projects[0].id;
    const product = { tenant: 'organizationProject', id: `${parent.id}:${projectId}` };
    const buyer = await open();
    const customer = await step('the second customer takes the offer of the mail, with an organization of its own', async () => {
      const address = await register(buyer, 'Bea Buyer');
      dataOf(await client.post('/api/project-grants', { scope: product, email: address }, token));
      await buyer.page.goto(await linkTo(address, 'grant-offer'));
      await buyer.page.getByLabel('Name of a new organization').fill('Acme');
      await press(buyer.page, 'Create it and accept');
      await heading(buyer.page, 'notes is yours to use');
      return address;
    });
    await step('its Owner gives the role, and signs in to the same application', async () => {
      const bea = await clientOf(customer);
      const scope = { tenant: 'organizationProject', id: `${bea.me.organizations[0].id}:${projectId}` };
      const { items: roles } = dataOf(await bea.client.get(`/api/roles?tenant=${scope.tenant}&scopeId=${scope.id}`, bea.token));
      const { id: roleId } = roles.find(({ name }: { name: string }) => name === 'Writer');
      dataOf(await bea.client.patch(`/api/users/${bea.me.user.id}`, { scope, roleIds: [roleId] }, bea.token));
      await allowNotes(buyer, url);
      await heading(buyer.page, 'Hello Bea Buyer');
      await buyer.page.getByText('You work for acme').waitFor();
      await buyer.page.getByText('You may read and write notes.').waitFor();
    });
    const seconds = steps.reduce((sum, each) => sum + each.seconds, 0);
    console.log(
      [...steps, { name: 'together', seconds }].map(({ name, seconds: took }) => `${took.toFixed(1).padStart(7)} s  ${name}`).join('\n'),
    );
    expect(seconds).toBeLessThan(hourSeconds);
    expect([...owner.complaints, ...buyer.complaints]).toStrictEqual([]);
  },
);
