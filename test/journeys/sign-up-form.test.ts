/** The back end of docs/guides/sign-up-form.md, killed before and after each of its calls. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { grant as makeAdministrator } from '../../tools/platform/administrators.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { inScope } from '../support/client.ts';
import { openPage } from '../support/guides/page.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { createPerson, createServiceAccount, createWorld, dataOf, joinAsNew } from '../support/world.ts';

const stack = await openStack();
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const administrator = await createPerson(stack);
const identity = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await identity.connect();
await makeAdministrator(identity, administrator.email).finally(() => identity.end());
const vendor = await createWorld(stack);
const { organization, project, owner: seller } = vendor;
const allow = { canProvision: true };
dataOf(await administrator.client.patch(`/api/platform/tenants/${organization.id}`, allow, administrator.token));
const machine = await createServiceAccount(stack.url, vendor, 'Admin');

/** What is to happen when the back end makes its call of this number. */
type Kill = { readonly call: number; readonly when: 'before' | 'after' };
let kill: Kill | undefined;
let calls = 0;
let running: ChildProcess | undefined;

async function stop(): Promise<void> {
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
  const ended = once(running, 'exit');
  running.kill('SIGKILL');
  await ended;
}

/** Between the back end and Tessera: it counts the calls, and kills the one that makes them. */
async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  calls += 1;
  const isMoment = (when: Kill['when']) => kill?.call === calls && kill.when === when;
  const call = calls;
  if (isMoment('before')) await stop();
  const { authorization = '', 'content-type': type = '' } = request.headers;
  const headers = { authorization, 'content-type': type };
  const answer = await fetch(stack.url + request.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
  const body = await answer.text();
  if (call === calls && isMoment('after')) await stop();
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
}
const proxy = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
cleanup.defer(() => void proxy.close());
cleanup.defer(stop);
const address = proxy.address();
if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

const folder = mkdtempSync(join(tmpdir(), 'sign-up-'));
cleanup.defer(() => rmSync(folder, { recursive: true }));
symlinkSync(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
const port = await choosePort(0, '127.0.0.1');
const page = openPage('sign-up-form', folder, port);
const env = {
  PATH: process.env['PATH'] ?? '',
  TESSERA_URL: `http://127.0.0.1:${address.port}`,
  TESSERA_CLIENT_ID: machine.id,
  TESSERA_CLIENT_SECRET: machine.clientSecret,
  ORGANIZATION: organization.id,
  PROJECT: vendor.ids['Project'] ?? '',
  PORT: String(port),
};

async function start(): Promise<void> {
  await stop();
  running = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  if (running.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: running.stdout })) if (line.startsWith('http://')) return;
  throw new Error('the back end ended before it listened');
}

const signUp = (form: Readonly<Record<string, string>>) =>
  fetch(`http://127.0.0.1:${port}/sign-up`, { method: 'POST', body: new URLSearchParams(form) });

/** What the back end has noted of a sign-up. */
function noted(id: string): { readonly organizationId?: string } {
  const file = join(folder, 'sign-ups', `${id}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

test('its commands print what the page says', async () => {
  kill = undefined;
  await start();
  expect(await page.run(env)).toBe(page.answer);
});

const kills: readonly (Kill | undefined)[] = [
  { call: 1, when: 'before' },
  { call: 1, when: 'after' },
  { call: 2, when: 'before' },
  { call: 2, when: 'after' },
  undefined,
];
describe('there is one organization, one grant and one Owner, when the back end is killed', () => {
  for (const moment of kills)
    test(moment === undefined ? 'after all of it' : `${moment.when} its call ${moment.call}`, async () => {
      const company = `Company ${randomUUID()}`;
      const form = { id: randomUUID(), company, email: `${randomUUID()}@example.com`, plan: 'pro' };
      await start();
      [kill, calls] = [moment, 0];
      const first = await signUp(form).catch(() => undefined);
      expect(first?.status).toBe(moment === undefined ? 200 : undefined);
      expect(calls).toBe(moment?.call ?? 2);
      kill = undefined;
      await start();
      await until(async () => noted(form.id).organizationId !== undefined);
      // And the person clicks again.
      expect((await signUp(form)).status).toBe(200);

      const { client, token } = seller;
      const grants = dataOf(
        await client.get(`/api/project-grants?${inScope(project, `search=${encodeURIComponent(company)}`)}`, token),
      ).items;
      expect(grants.map(({ status }: { status: string }) => status)).toStrictEqual(['active']);
      const search = `/api/platform/tenants?search=${encodeURIComponent(company)}`;
      const tenants = dataOf(await administrator.client.get(search, administrator.token)).items;
      expect(tenants.map(({ id }: { id: string }) => id)).toStrictEqual([noted(form.id).organizationId]);
      expect(grants[0].organizationId).toBe(tenants[0].id);
      expect([tenants[0].memberCount, tenants[0].openInvitationCount]).toStrictEqual([0, 1]);

      const owner = await joinAsNew(stack, form.email);
      const scope = { tenant: 'organization', id: tenants[0].id };
      const members = async () => {
        const answer = await owner.client.get(`/api/organization-members?${inScope(scope)}`, owner.token);
        return answer.status === 200 ? answer.body.data.items : [];
      };
      await until(async () => (await members()).length === 1);
      expect((await members())[0]).toMatchObject({ id: owner.userId, role: { name: 'Owner' } });
    });
});
