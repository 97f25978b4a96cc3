import { randomUUID } from 'node:crypto';
import { readManifest } from '../../../tools/release/pack.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { createTenant, credentials, data, signIn, type Tenant } from '../../support/load/tenant.ts';
import { processesOf, startBenchStack } from '../load/bench.ts';
import type { HttpTarget } from '../load/http.ts';
import { expectRefusal, nextAmount, otherActions, type Product, type Task, taskOf } from './product.ts';

const userAgent = { 'user-agent': 'compare' };

/** The whole product, one process of each service, with a project whose role has 20 permissions. */
export async function openTessera(cleanup: AsyncDisposableStack): Promise<Product> {
  const stack = cleanup.use(await startBenchStack({ env: { METRICS_ENABLED: 'false' } }));
  const tenant = await createTenant(stack, 'compare');
  const { client, owner } = tenant;
  const origin = stack.url;
  const { scope, roleId, condition } = await createReaderRole(tenant);
  const post = async (path: string, body: object) => data(await client.post(path, { scope, ...body }, owner.token));
  const key = await post('/api/api-keys', { name: 'compare', roleId });
  const app = await post('/api/project-apps', { name: 'machine', type: 'machine', roleId });

  /** Every token ends after 15 minutes, so each task takes a new one. */
  const asKey = async () => {
    const { accessToken } = data(await client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope }));
    return { ...userAgent, authorization: `Bearer ${accessToken}` };
  };
  const question = async (amount: () => number): Promise<HttpTarget> => ({
    origin,
    method: 'POST',
    path: '/api/auth/is-authorized',
    headers: await asKey(),
    forbidden: '"authorized":false',
    body: () => JSON.stringify({ permission: { resource: 'invoice', action: 'read' }, context: { resource: { amount: amount() } } }),
  });
  const decision = async (amount: () => number): Promise<Task> => {
    await expectRefusal(await question(() => 5_000), /"authorized":false/);
    return taskOf(
      await question(amount),
      /"authorized":true/,
      `the token is verified, the rights are Tessera’s own, kept in memory until they change; ${condition}`,
    );
  };
  const [organizationId, projectId] = scope.id.split(':');

  return {
    name: 'Tessera',
    version: readManifest(repositoryFolder).version,
    processes: processesOf(stack, [...Object.keys(stack.processes), 'postgres']),
    tasks: {
      'sign-in': () =>
        taskOf(
          {
            origin,
            method: 'POST',
            path: '/api/auth/login',
            // One session for each device.
            headers: () => ({ 'user-agent': randomUUID() }),
            body: JSON.stringify(credentials(owner.email)),
          },
          /"refreshToken"/,
          'bcrypt, cost 10; session, access token, audit record',
        ),
      session: async () => {
        const { token } = await signIn(client, owner.email);
        return taskOf({ origin, path: '/api/me', headers: { ...userAgent, authorization: `Bearer ${token}` } }, /"email"/, 'GET /api/me');
      },
      renewal: () => renewal(tenant),
      token: () =>
        taskOf(
          {
            origin,
            method: 'POST',
            path: `/org/${organizationId}/prj/${projectId}/oauth/token`,
            headers: {
              ...userAgent,
              'content-type': 'application/x-www-form-urlencoded',
              authorization: `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`,
            },
            body: 'grant_type=client_credentials',
          },
          /"access_token":"ey/,
          'RS256; the app’s role is asked for, the token can be revoked, audit record',
        ),
      decision: () => decision(() => 10),
      'new-decision': () => decision(nextAmount),
      permissions: async () =>
        taskOf(
          { origin, path: '/api/auth/permissions', headers: await asKey() },
          /"resource":"invoice","action":"do18"/,
          'with conditions',
        ),
    },
  };
}

async function createReaderRole({ client, owner, organizationId, projectId }: Tenant) {
  const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const post = async (path: string, body: object) => data(await client.post(path, { scope, ...body }, owner.token));
  const { permissions } = await post('/api/resources', {
    name: 'Invoice',
    slug: 'invoice',
    actions: ['read', ...otherActions],
    createPermissions: true,
  });
  const read = permissions.find(({ action }: { action: string }) => action === 'read');
  const condition = { NumericLessThan: { 'resource.amount': 1_000 } };
  data(await client.patch(`/api/permissions/${read.id}`, { scope, condition }, owner.token));
  const permissionIds = permissions.map(({ id }: { id: string }) => id);
  const group = await post('/api/groups', { name: 'Readers', permissionIds });
  const role = await post('/api/roles', { name: 'Reader', groupIds: [group.id] });
  return { scope, roleId: String(role.id), condition: 'one condition, amount < 1000' };
}

/** Chains of refreshes, each continued by one caller at a time, as a device does it. */
async function renewal({ client, owner }: Tenant): Promise<Task> {
  const renew = async (refreshToken: string, device: string): Promise<string> => {
    const answer = await client.call('POST', '/api/auth/refresh', { body: { refreshToken }, headers: { 'user-agent': device } });
    return data(answer).refreshToken;
  };
  const open = async () => {
    const device = randomUUID();
    const answer = await client.call('POST', '/api/auth/login', { body: credentials(owner.email), headers: { 'user-agent': device } });
    return { device, refreshToken: String(data(answer).refreshToken) };
  };
  const chains: { readonly device: string; refreshToken: string }[] = [];
  for (let count = 0; count < 32; count += 1) chains.push(await open());
  const shot = async () => {
    const chain = chains.pop();
    if (chain === undefined) throw new Error('more callers than sessions');
    try {
      chain.refreshToken = await renew(chain.refreshToken, chain.device);
    } finally {
      chains.unshift(chain);
    }
  };
  return { shot, note: 'RS256; the refresh token is replaced, a spent one ends the session', [Symbol.dispose]: () => undefined };
}
