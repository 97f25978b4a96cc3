/** Two steps of a grant, or a step and what is done in its scope, at the same moment. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, inScope, type ScopeValue } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const stack = await openStack();
const database = new pg.Client({ connectionString: stack.adminDatabaseUrl });
await database.connect();
afterAll(() => database.end());

const vendor = await createPerson(stack);
const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'));
const projectId = product.id.slice(37);
const slug = `Doc-${randomUUID().slice(0, 8)}`;

async function make(path: string, body: object) {
  return dataOf(await vendor.client.post(`/api/${path}`, { scope: product, ...body }, vendor.token));
}
const { permissions } = await make('resources', { name: 'Doc', slug, actions: ['Read'], createPermissions: true });
const readers = await make('groups', { name: 'readers', permissionIds: [permissions[0].id] });
const reader = await make('roles', { name: 'Reader', groupIds: [readers.id] });

const granted = 'PERMISSION_GRANTED_NO_CONDITION';
async function may({ client, token }: Person, scope: ScopeValue): Promise<string> {
  return dataOf(await client.post('/api/auth/is-authorized', { permission: { resource: slug, action: 'Read' }, scope }, token)).reason;
}

/** An organization, and the steps of both sides. `offer` makes a new grant of the pair. */
async function customer(name: string) {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, name);
  const scope = { tenant: 'organizationProject', id: `${organization.id}:${projectId}` };
  const byCustomer = (id: string, step: string) =>
    owner.client.post(`/api/project-grants/${id}/${step}`, { scope: organization }, owner.token);
  const byOwner = (id: string, step: string) =>
    step === 'end'
      ? vendor.client.delete(`/api/project-grants/${id}?${inScope(product)}`, vendor.token)
      : vendor.client.post(`/api/project-grants/${id}/${step}`, { scope: product }, vendor.token);
  const offer = async (): Promise<string> => (await make('project-grants', { organizationId: organization.id })).id;
  const begin = async () => {
    const id = await offer();
    dataOf(await byCustomer(id, 'accept'));
    return id;
  };
  const give = ({ userId }: Person, roleIds: readonly string[]) =>
    owner.client.patch(`/api/users/${userId}`, { scope, roleIds }, owner.token);
  return { owner, organization, scope, byCustomer, byOwner, offer, begin, give };
}

/** Both at once; which begins first changes with the round. */
async function atOnce(round: number, one: () => Promise<Answer>, other: () => Promise<Answer>): Promise<readonly [Answer, Answer]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const [second, first] = await Promise.all([other(), one()]);
  return [first, second];
}
const rounds = Array.from({ length: 8 }, (_, round) => round);

test('a role that is given while the customer leaves gives nothing, and a new grant knows it only if its giving was confirmed', async () => {
  const { owner, organization, scope, byCustomer, begin, give } = await customer('Leaving');
  const member = await addMember(stack, owner, organization, 'Viewer');
  let id = await begin();
  for (const round of rounds) {
    const [left, given] = await atOnce(
      round,
      () => byCustomer(id, 'leave'),
      () => give(member, [reader.id]),
    );
    expect(left.status).toStrictEqualFor(left.body, 200);
    await until(async () => (await may(member, scope)) !== granted);
    expect((await give(member, [reader.id])).status).toBe(403);
    id = await begin();
    expect([given.status, await may(member, scope)]).toStrictEqualFor(round, [
      given.status,
      given.status === 200 ? granted : 'NO_MATCHING_PERMISSION_FOUND',
    ]);
    dataOf(await give(member, []));
  }
});

test('a role that is given to a member who is removed at the same moment is kept nowhere', async () => {
  const { owner, organization, scope, begin, give } = await customer('Removing');
  await begin();
  const member = await addMember(stack, owner, organization, 'Viewer');
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const kept = `SELECT role_id FROM rbac.role_assignments WHERE user_id = $1 AND scope_id IN ($2, $3)`;
  for (const round of rounds.slice(0, 4)) {
    const [removed] = await atOnce(
      round,
      () => owner.client.delete(`/api/organization-members/${member.userId}?${inScope(organization)}`, owner.token),
      () => give(member, [reader.id]),
    );
    expect(removed.status).toStrictEqualFor(removed.body, 200);
    await until(async () => (await database.query(kept, [member.userId, scope.id, organization.id])).rows.length === 0);
    const invitation = { scope: organization, email: member.email, roleId };
    dataOf(await owner.client.post('/api/organization-invitations/invite', invitation, owner.token));
    const { data } = await waitForMail(stack.dataDir, member.email, 'invitation', round + 1);
    dataOf(await member.client.post('/api/organization-invitations/accept', { token: data.token }, member.token));
    expect(await may(member, scope)).toStrictEqualFor(round, 'NO_MATCHING_PERMISSION_FOUND');
  }
});

test('a key that is made while the customer leaves is worth nothing, also in a new grant', async () => {
  const { owner, scope, byCustomer, begin } = await customer('Keys');
  let id = await begin();
  const create = () => owner.client.post('/api/api-keys', { scope, name: 'Key', roleId: reader.id }, owner.token);
  for (const round of rounds) {
    const [left, { status, body }] = await atOnce(round, () => byCustomer(id, 'leave'), create);
    expect(left.status).toStrictEqualFor(left.body, 200);
    const { clientId, clientSecret } = status === 201 ? body.data : { clientId: randomUUID(), clientSecret: 'none' };
    const exchange = async () => (await owner.client.post('/api/auth/token', { clientId, clientSecret, scope })).status;
    await until(async () => (await exchange()) !== 200);
    await until(async () => (await create()).status === 403);
    id = await begin();
    expect([status, await exchange()]).toStrictEqualFor(round, [status, 401]);
  }
});

const races = [
  { from: [], steps: ['accept', 'end'] },
  { from: ['accept'], steps: ['leave', 'suspend'] },
  { from: ['accept', 'suspend'], steps: ['leave', 'resume'] },
  { from: ['accept'], steps: ['leave', 'end'] },
] as const;
const ofCustomer: readonly string[] = ['accept', 'leave'];

for (const { from, steps } of races)
  test(`${steps.join(' and ')} at once: the grant has one state, and every service the same`, async () => {
    const { owner, scope, organization, byCustomer, byOwner, offer } = await customer(steps.join(' '));
    const step = (id: string, name: string) => (ofCustomer.includes(name) ? byCustomer(id, name) : byOwner(id, name));
    const copies = async () => {
      const pair = [organization.id, projectId];
      const where = 'WHERE organization_id = $1 AND project_id = $2';
      const inRbac = await database.query(`SELECT is_active, ended_at IS NOT NULL AS is_ended FROM rbac.project_grants ${where}`, pair);
      const inKeys = await database.query(`SELECT is_active, is_ended FROM keys.project_grants ${where}`, pair);
      return [inRbac.rows, inKeys.rows].flat();
    };
    for (const round of rounds) {
      const id = await offer();
      for (const name of from) dataOf(await step(id, name));
      const both = await atOnce(
        round,
        () => step(id, steps[0]),
        () => step(id, steps[1]),
      );
      const codes = both.map(({ status }) => status);
      expect(codes.filter((code) => code !== 200 && code !== 409)).toStrictEqualFor(codes, []);
      const { status } = dataOf(await vendor.client.get(`/api/project-grants/${id}?${inScope(product)}`, vendor.token));
      // The step that ends it comes before or after the other one.
      expect(status).toStrictEqualFor([round, codes], 'ended');
      await until(async () => (await copies()).every(({ is_active: isActive, is_ended: isEnded }) => !isActive && isEnded));
      expect((await owner.client.get(`/api/roles?${inScope(scope)}`, owner.token)).status).toBe(403);
    }
  });
