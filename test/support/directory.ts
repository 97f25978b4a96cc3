/** A directory that speaks SCIM to a whole stack through the gateway, as an Owner connects it. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { withClient } from '../../tools/postgres/bootstrap.ts';
import type { ScopeValue } from './client.ts';
import type { SystemStack } from './shared-stack.ts';
import { builtInRole, dataOf, type Person } from './world.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const bulkUrn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A domain that was proven by DNS; here no server is asked. */
export async function proveDomain({ adminDatabaseUrl }: Pick<SystemStack, 'adminDatabaseUrl'>, organization: ScopeValue, domain: string) {
  await withClient(adminDatabaseUrl, (client) =>
    client.query(
      `INSERT INTO tenancy.domains (id, organization_id, domain, status, challenge, verified_at, seen_at, created_by) VALUES ($1, $2, $3, 'verified', 'x', now(), now(), $1)`,
      [randomUUID(), organization.id, domain],
    ),
  );
}

export async function connectDirectory(url: string, owner: Person, organization: ScopeValue) {
  const roleIds = [await builtInRole(owner, organization, 'Provisioning')];
  const account = dataOf(
    await owner.client.post('/api/service-accounts', { scope: organization, name: 'Directory', roleIds }, owner.token),
  );
  const credential = { scope: organization, type: 'directory' };
  const { clientSecret } = dataOf(await owner.client.post(`/api/service-accounts/${account.id}/credentials`, credential, owner.token));
  const address = `${url}/scim/v2/${organization.id}`;
  const dispatcher = new Agent({ connections: 16 });
  const ask = async (method: Method, path: string, body?: unknown) => {
    const answer = await request(address + path, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${clientSecret}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    // biome-ignore lint/suspicious/noExplicitAny: the response is what is measured, its shape is the protocol's
    const json: any = text === '' ? {} : JSON.parse(text);
    return { status: answer.statusCode, json };
  };
  const needed = async (method: Method, path: string, body?: unknown) => {
    const { status, json } = await ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json).slice(0, 500)}`);
    return json;
  };
  const patch = (path: string, ...Operations: readonly object[]) => needed('PATCH', path, { schemas: [patchUrn], Operations });
  return {
    address,
    token: String(clientSecret),
    ask,
    needed,
    patch,
    setActive: (id: string, active: boolean) => patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active }),
    bulk: (Operations: readonly object[]) => needed('POST', '/Bulk', { schemas: [bulkUrn], Operations }),
    close: () => dispatcher.close(),
  };
}

export type ConnectedDirectory = Awaited<ReturnType<typeof connectDirectory>>;

/** A person as Entra sends one. */
export function personOf(userName: string, index: number): object {
  return {
    schemas: [userUrn, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    externalId: randomUUID(),
    userName,
    active: true,
    displayName: `Person ${index}`,
    name: { givenName: 'Person', familyName: String(index), formatted: `Person ${index}` },
    emails: [{ primary: true, type: 'work', value: userName }],
    title: 'Engineer',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: `Department ${index % 40}`, employeeNumber: String(index) },
  };
}
