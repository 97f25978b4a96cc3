import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { countStatements } from '../load/statements.ts';
import { createTenant, data, type Tenant } from '../load/tenant.ts';
import { startOwnStack } from './stack.ts';

let own: Awaited<ReturnType<typeof startOwnStack>>;
let tenant: Tenant;
before(async () => {
  own = await startOwnStack();
  tenant = await createTenant(own.stack, 'graph');
});
after(() => own.close());

const everything = `{
  me {
    accounts {
      organizations {
        name
        roles { name tags { name } groups { name tags { name } permissions { name resource { slug } } } users { name roles { name } tags { name } } }
        groups { name users { name } }
        users { name roles { name } tags { name } accounts { type } }
        projects { name primaryTagId tags { name } roles { name groups { name permissions { name } } } groups { name } resources { name permissions { name } } }
      }
      projects { name roles { name } }
    }
  }
}`;

type Role = { readonly groups: readonly { readonly permissions: readonly object[] }[]; readonly users: readonly { readonly roles: readonly object[] }[] };
type Organization = {
  readonly roles: readonly Role[];
  readonly users: readonly { readonly roles: readonly object[] }[];
  readonly projects: readonly Pick<Organization, 'roles'>[];
};

const ask = async (): Promise<readonly Organization[]> => {
  const { status, body } = await tenant.client.graphql(everything, {}, tenant.owner.token);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.errors, undefined, JSON.stringify(body.errors));
  return body.data.me.accounts.flatMap(({ organizations }: { organizations: readonly Organization[] }) => organizations);
};

const create = async (path: string, body: object): Promise<{ readonly id: string }> =>
  data(await tenant.client.post(path, body, tenant.owner.token));

/** Something on every level: a project with a role, and roles, groups and permissions of an organization. */
const fill = async (organizationId: string): Promise<void> => {
  const scope = { tenant: 'organization', id: organizationId };
  const { items } = data(await tenant.client.get(`/api/resources?tenant=organization&scopeId=${organizationId}&search=Tag`, tenant.owner.token));
  const { id: permissionId } = await create('/api/permissions', { scope, name: 'see', action: 'Query', resourceId: items[0].id });
  const { id: groupId } = await create('/api/groups', { scope, name: 'group', permissionIds: [permissionId] });
  await create('/api/roles', { scope, name: 'role', groupIds: [groupId] });
  const { id: projectId } = await create('/api/projects', { scope, name: 'project' });
  const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  await create('/api/resources', { scope: project, name: 'Thing', actions: ['Read'], createPermissions: true });
  await create('/api/roles', { scope: project, name: 'role of a project' });
};

/** What one answer costs: statements of each service, and calls between services. */
const costs = async () => {
  const before = await callsBetween();
  const { byService, texts } = await countStatements(own.stack, ask);
  const after = await callsBetween();
  return { byService, texts, calls: Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])) };
};
