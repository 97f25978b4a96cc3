/** docs/guides/agents.md on the running stack, and how soon what it made ends. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { calculatePKCECodeChallenge } from 'openid-client';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { createApplication } from '../../services/rbac/src/testing/application.ts';
import { openPage } from '../support/guides/page.ts';
import { openSignIn, redirectUri } from '../support/sign-in.ts';
import { assertMeasuredWithin, until } from '../support/until.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  dataOf,
  PASSWORD,
  type Person,
} from '../support/world.ts';

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
  return { owner, organization, project, agent, app, person, issuer: issuerOf(stack.url, project) };
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

/** How the agent's token is answered: over REST, GraphQL and gRPC, and by a verifier that asks. */
async function openDoors({ owner, organization, project, issuer, agent }: Invoices) {
  const body = { scope: project, name: 'Asks', roleId: await builtInRole(owner, organization, 'Admin') };
  const { clientId, clientSecret } = dataOf(await owner.client.post('/api/api-keys', body, owner.token));
  const key = dataOf(await owner.client.post('/api/auth/token', { clientId, clientSecret, scope: project })).accessToken;
  const application = createApplication(stack.grpcUrls.rbac);
  cleanup.defer(() => application.close());
  const introspection = { clientId: agent.clientId, clientSecret: agent.clientSecret, maxAgeMs: 0 };
  const verifier = createVerifier({ issuers: [issuer], audience: agent.clientId, types: ['projectApp'], introspection });
  const asked = { resource: 'invoice', action: 'read' };
  return {
    REST: async (token: string) => (await statusOf(owner, token)) === 200,
    GraphQL: async (token: string) => {
      const query = 'query ($input: IsAuthorizedInput!) { isAuthorized(input: $input) { authorized } }';
      const { body } = await owner.client.graphql(query, { input: { permission: asked } }, token);
      return body.data?.isAuthorized?.authorized === true;
    },
    gRPC: async (token: string) => (await application.isAuthorized(key, { ...asked, userToken: token })).reason !== 'NOT_AUTHENTICATED',
    verifier: (token: string) =>
      verifier.verify(token).then(
        () => true,
        () => false,
      ),
  };
}

test('what the agent holds ends with the session of the person, or by their hand, at every door within a second', async () => {
  const world = await createInvoices();
  const { agent, person } = world;
  const doors = Object.entries(await openDoors(world));
  const signOut = (session: string) => person.client.post('/api/auth/logout', {}, session);
  const end = (session: string) => person.client.delete(`/api/me/agents/${agent.clientId}`, session);
  for (const by of [signOut, end]) {
    await assertMeasuredWithin(1_000, async () => {
      const { token, session } = await signIn(world);
      if (by === end) await person.client.post(`/api/me/agents/${agent.clientId}/allow`, {}, session);
      const child = await exchange(world, token);
      for (const [door, isOpen] of doors) expect([door, await isOpen(child)]).toStrictEqual([door, true]);
      const since = performance.now();
      dataOf(await by(session));
      const times = await Promise.all(
        doors.map(async ([door, isOpen]) => {
          await until(async () => !(await isOpen(child)));
          return [door, performance.now() - since] as const;
        }),
      );
      return Math.max(...times.map(([, ms]) => ms));
    });
  }
});
