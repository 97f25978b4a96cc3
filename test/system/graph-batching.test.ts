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

const nested = `{
  me {
    accounts {
      organizations {
        name
        roles { name groups { name } users { name roles { name } } }
        users { name accounts { type } }
        projects { name }
      }
    }
  }
}`;

type Role = { readonly name: string; readonly groups: readonly object[]; readonly users: readonly { readonly roles: readonly object[] }[] };
type Organization = { readonly roles: readonly Role[]; readonly users: readonly object[]; readonly projects: readonly object[] };

const ask = async (): Promise<readonly Organization[]> => {
  const { status, body } = await tenant.client.graphql(nested, {}, tenant.owner.token);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.errors, undefined, JSON.stringify(body.errors));
  return body.data.me.accounts.flatMap(({ organizations }: { organizations: readonly Organization[] }) => organizations);
};

const create = async (path: string, body: object): Promise<{ readonly id: string }> =>
  data(await tenant.client.post(path, body, tenant.owner.token));

const fill = async (organizationId: string): Promise<void> => {
  const scope = { tenant: 'organization', id: organizationId };
  for (let more = 0; more < 4; more += 1) {
    const { id } = await create('/api/groups', { scope, name: `group ${more}` });
    await create('/api/roles', { scope, name: `role ${more}`, groupIds: [id] });
    await create('/api/projects', { scope, name: `project ${more}` });
  }
};

test('a query over five levels and three services asks the databases as often for many rows as for few', async () => {
  const [few] = await ask();
  assert.equal(few?.roles.find(({ name }) => /Owner/.test(name))?.users[0]?.roles.length, 1);
  const before = await countStatements(own.stack, ask);
  await fill(tenant.organizationId);
  const [many] = await ask();
  assert.equal((many?.roles.length ?? 0) - few.roles.length, 4);
  assert.equal((many?.projects.length ?? 0) - few.projects.length, 4);
  const after = await countStatements(own.stack, ask);
  assert.deepEqual(after.byService, before.byService, after.texts.join('\n'));
});

test('a further organization costs a few statements of its own: rows of two tenants are never read together, whatever is in them', async () => {
  const add = async () =>
    create('/api/organizations', { scope: { tenant: 'account', id: tenant.accountId }, name: `more ${randomUUID()}` });
  const costs: number[] = [];
  for (const isFull of [false, true, false]) {
    const before = await countStatements(own.stack, ask);
    const { id } = await add();
    if (isFull) await fill(id);
    const after = await countStatements(own.stack, ask);
    costs.push(after.queries - before.queries);
  }
  assert.equal((await ask()).length, 4);
  assert.ok(
    costs.every((cost) => cost <= 8),
    String(costs),
  );
});
