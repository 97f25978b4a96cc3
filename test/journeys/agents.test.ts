/** docs/guides/agents.md on the running stack, and how soon what it made ends. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { calculatePKCECodeChallenge } from 'openid-client';
import { openPage } from '../support/guides/page.ts';
import { openSignIn, redirectUri } from '../support/sign-in.ts';
import { assertMeasuredWithin, until } from '../support/until.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const { stack, openBrowser } = await openSignIn();
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

async function createInvoices() {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const project = await createProject(owner, organization);
  const create = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token));
  const resource = await create('/api/resources', { name: 'Invoice', slug: 'invoice', actions: ['read', 'pay'] });
  const role = async (name: string, actions: readonly string[]) => {
    const permissionIds: string[] = [];
    for (const action of actions)
      permissionIds.push((await create('/api/permissions', { name: `${name} ${action}`, resourceId: resource.id, action })).id);
    const group = await create('/api/groups', { name, permissionIds });
    return String((await create('/api/roles', { name, groupIds: [group.id] })).id);
  };
  const clerk = await role('Clerk', ['read', 'pay']);
  const roleId = await role('Reading', ['read']);
  const agent = await create('/api/project-apps', { name: 'Agent', type: 'machine', roleId, grantTypes: [exchangeGrant] });
  const scopes = ['invoice:read', 'invoice:pay'];
  const signIns = { redirectUris: [redirectUri], scopes, isFirstParty: true, mayAct: [agent.clientId] };
  const app = await create('/api/project-apps', { name: 'Books', type: 'web', ...signIns });
  const person = await addMember(stack, owner, organization, 'Viewer');
  dataOf(await owner.client.patch(`/api/users/${person.userId}`, { scope: project, roleIds: [clerk] }, owner.token));
  return { owner, project, agent, app, person, issuer: issuerOf(stack.url, project) };
}
type Invoices = Awaited<ReturnType<typeof createInvoices>>;

const basic = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
});

/** Signs the person in to the app, in a browser of their own. */
async function signIn({ issuer, app, person }: Invoices): Promise<{ token: string; session: string }> {
  const browser = openBrowser();
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  const { accessToken: session } = dataOf(await browser.post('/api/auth/login', credentials));
  const verifier = randomBytes(32).toString('base64url');
  const challenge = { code_challenge_method: 'S256', code_challenge: await calculatePKCECodeChallenge(verifier) };
  const query = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid invoice:read invoice:pay',
    state: randomUUID(),
    ...challenge,
  });
  const { location } = await browser.get(`${issuer}/oauth/authorize?${query}`);
  const form = { grant_type: 'authorization_code', code: location.searchParams.get('code') ?? '', redirect_uri: redirectUri };
  const body = new URLSearchParams({ ...form, code_verifier: verifier });
  const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', headers: basic(app), body });
  const tokens = (await answer.json()) as { access_token?: string };
  expect(answer.status).toStrictEqualFor([location.href, tokens], 200);
  return { token: tokens.access_token ?? '', session };
}

async function exchange({ issuer, agent }: Invoices, token: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: exchangeGrant, subject_token: token, subject_token_type: accessToken });
  const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', headers: basic(agent), body });
  const tokens = (await answer.json()) as { access_token?: string };
  expect(answer.status).toStrictEqualFor(tokens, 200);
  return tokens.access_token ?? '';
}

const statusOf = async ({ client }: Person, token: string) =>
  (await client.post('/api/auth/is-authorized', { permission: { resource: 'invoice', action: 'read' } }, token)).status;

test('the agent of the guide may do half of what the person may, and the log names both', async () => {
  const world = await createInvoices();
  const { token } = await signIn(world);
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const page = openPage('agents', folder, 0);
  const { agent, issuer, owner, person, project } = world;
  const printed = await page.run({
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    TESSERA_URL: stack.url,
    ISSUER: issuer,
    AGENT_CLIENT_ID: agent.clientId,
    AGENT_CLIENT_SECRET: agent.clientSecret,
    ACCESS_TOKEN: token,
  });
  expect(printed).toBe(page.answer);
  const log = `/api/audit-events?tenant=${project.tenant}&scopeId=${project.id}&action=openid.token&actorId=${person.userId}`;
  const { items } = dataOf(await owner.client.get(log, owner.token));
  expect(items[0]).toMatchObject({ target: { id: agent.id }, detail: { grantType: 'token_exchange', actors: [agent.clientId] } });
});

test('what the agent holds ends with the session of the person, at every service, within a second', async () => {
  const world = await createInvoices();
  const { owner, person } = world;
  await assertMeasuredWithin(1_000, async () => {
    const { token, session } = await signIn(world);
    const child = await exchange(world, token);
    expect(await statusOf(owner, child)).toBe(200);
    const since = performance.now();
    dataOf(await person.client.post('/api/auth/logout', {}, session));
    await until(async () => (await statusOf(owner, child)) === 401);
    return performance.now() - since;
  });
});
