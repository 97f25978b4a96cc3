import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { call } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

/** A product of one organization, and another that may use it. */
async function world() {
  const [globex, acme] = [await service.createOrganization(), await service.createOrganization()];
  const { data } = await call(service, 'rest', 'createProject', { scope: globex.scope, name: 'Billing' }, globex.owner.token);
  const product = { tenant: 'organizationProject', id: `${globex.organizationId}:${data.id}` };
  const fresh = `${acme.owner.token}.fresh`;
  const offer = (input: object = {}, token = globex.owner.token) =>
    call(service, 'rest', 'createProjectGrant', { scope: product, organizationId: acme.organizationId, ...input }, token);
  const byOwner = (name: string, id: unknown, input: object = {}) =>
    call(service, 'rest', name, { scope: product, id, ...input }, globex.owner.token);
  const byCustomer = (name: string, id: unknown, token = fresh) => call(service, 'rest', name, { scope: acme.scope, id }, token);
  const told = () => service.rbac.received.filter(({ type }) => type === 'grant.changed').map(({ payload }) => payload);
  return { globex, acme, product, projectId: data.id, fresh, offer, byOwner, byCustomer, told };
}

describe('an offer', () => {
  test('is seen by both sides with the names of both, and binds nobody before an Owner accepts it', async () => {
    const { globex, acme, product, projectId, offer, byCustomer, told } = await world();
    const { status, data } = await offer({ maxMembers: 5, metadata: { plan: 'pro' } });
    expect([status, data.status, data.maxMembers, data.metadata]).toStrictEqual([201, 'offered', 5, { plan: 'pro' }]);
    expect(data).toMatchObject({
      organization: { id: acme.organizationId },
      ownerOrganization: { id: globex.organizationId },
      project: { id: projectId, name: 'Billing', slug: 'billing' },
      memberCount: 0,
    });
    for (const transport of ['rest', 'graphql'] as const)
      for (const [scope, token] of [
        [product, globex.owner.token],
        [acme.scope, acme.owner.token],
      ] as const) {
        const { data: page } = await call(service, transport, 'listProjectGrants', { scope, status: 'offered' }, token);
        expect(page).toMatchObject({ totalCount: 1, items: [{ id: data.id }] });
      }
    expect(told()).toStrictEqual([]);
    const accepted = await byCustomer('acceptProjectGrant', data.id);
    expect([accepted.status, accepted.data.status]).toStrictEqual([200, 'active']);
    const scope = { tenant: 'organizationProject', id: `${acme.organizationId}:${projectId}` };
    const terms = { roleIds: null, allowCustomRoles: true, maxMembers: 5, metadata: { plan: 'pro' }, isActive: true, isEnded: false };
    expect(told()).toStrictEqual([{ scope, grantId: data.id, projectId, ownerOrganizationId: globex.organizationId, ...terms }]);
  });

  test('needs a fresh session of an Owner to be accepted, and anybody else is refused', async () => {
    const { acme, offer, byCustomer } = await world();
    const { data } = await offer();
    expect((await byCustomer('acceptProjectGrant', data.id, acme.owner.token)).code).toBe('FRESH_SIGN_IN_REQUIRED');
    const admin = await service.addMember(acme.organizationId, 'Admin');
    expect((await byCustomer('acceptProjectGrant', data.id, `${admin.token}.fresh`)).code).toBe('FORBIDDEN');
    const viewer = await service.addMember(acme.organizationId, 'Viewer');
    expect((await byCustomer('declineProjectGrant', data.id, `${viewer.token}.fresh`)).code).toBe('FORBIDDEN');
    expect((await byCustomer('declineProjectGrant', data.id, `${admin.token}.fresh`)).data.status).toBe('declined');
    expect((await byCustomer('acceptProjectGrant', data.id)).code).toBe('CONFLICT');
  });

  test('is made once for a pair that lives, and never to the owner or to nobody', async () => {
    const { globex, offer, byOwner } = await world();
    const first = await offer();
    const codes = (await Promise.all([offer(), offer()])).map(({ code }) => code);
    expect(codes).toStrictEqual(['CONFLICT', 'CONFLICT']);
    expect((await byOwner('endProjectGrant', first.data.id)).data.status).toBe('ended');
    const again = (await Promise.all([offer(), offer(), offer()])).map(({ status }) => status);
    expect(again.toSorted()).toStrictEqual([201, 409, 409]);
    expect(await offer({ organizationId: globex.organizationId })).toMatchObject({ code: 'VALIDATION_ERROR', field: 'organizationId' });
    expect(await offer({ organizationId: '01900000-0000-7000-8000-000000000000' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await offer({ roleIds: ['01900000-0000-7000-8000-000000000000'] })).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'roleIds.0',
    });
    expect(await offer({ metadata: { text: 'x'.repeat(4_096) } })).toMatchObject({ code: 'VALIDATION_ERROR', field: 'metadata' });
  });
});

describe('a grant', () => {
  const table: readonly [string, 'owner' | 'customer', readonly string[]][] = [
    ['acceptProjectGrant', 'customer', ['offered']],
    ['declineProjectGrant', 'customer', ['offered']],
    ['suspendProjectGrant', 'owner', ['active']],
    ['resumeProjectGrant', 'owner', ['suspended']],
    ['leaveProjectGrant', 'customer', ['active', 'suspended']],
    ['endProjectGrant', 'owner', ['offered', 'active', 'suspended']],
    ['updateProjectGrant', 'owner', ['offered', 'active', 'suspended']],
  ];
  const ways: Record<string, readonly string[]> = {
    offered: [],
    active: ['acceptProjectGrant'],
    suspended: ['acceptProjectGrant', 'suspendProjectGrant'],
    declined: ['declineProjectGrant'],
    ended: ['acceptProjectGrant', 'endProjectGrant'],
  };
  for (const [name, side, from] of table)
    test(`${name} is possible when it is ${from.join(' or ')}, and in no other state`, async () => {
      for (const [state, steps] of Object.entries(ways)) {
        const { offer, byOwner, byCustomer } = await world();
        const { data } = await offer();
        const step = (one: string) => (table.find(([known]) => known === one)?.[1] === 'owner' ? byOwner : byCustomer)(one, data.id);
        for (const one of steps) expect((await step(one)).status).toBe(200);
        const { status, code } = await (side === 'owner' ? byOwner : byCustomer)(name, data.id);
        expect([state, status, code]).toStrictEqual([state, ...(from.includes(state) ? [200, undefined] : [409, 'CONFLICT'])]);
      }
    });

  test('shows its owner who of the customer uses the project, until it ends', async () => {
    const { offer, byOwner, byCustomer } = await world();
    const { data } = await offer();
    service.rbac.holderCount = 3;
    const count = async () => (await byOwner('listProjectGrantMembers', data.id)).data.totalCount;
    const counts = [await count()];
    await byCustomer('acceptProjectGrant', data.id);
    counts.push(await count());
    await byOwner('suspendProjectGrant', data.id);
    counts.push(await count());
    await byCustomer('leaveProjectGrant', data.id);
    expect([...counts, await count()]).toStrictEqual([0, 3, 3, 0]);
  });

  test('takes one of two steps at the same time', async () => {
    const { offer, byOwner, byCustomer } = await world();
    const { data } = await offer();
    const both = await Promise.all([byCustomer('acceptProjectGrant', data.id), byOwner('endProjectGrant', data.id)]);
    const shown = await byOwner('getProjectGrant', data.id);
    expect(shown.data.status).toBe('ended');
    expect(both[1].status).toBe(200);
    expect([200, 409]).toContain(both[0].status);
  });

  test('is nothing to a third organization, and to the customer’s other projects', async () => {
    const { offer, acme, product, projectId, globex } = await world();
    const { data } = await offer();
    const other = await service.createOrganization();
    const { data: own } = await call(service, 'rest', 'createProject', { scope: other.scope, name: 'Own' }, other.owner.token);
    const places = [
      [other.scope, other.owner.token],
      [{ tenant: 'organizationProject', id: `${other.organizationId}:${own.id}` }, other.owner.token],
      [{ tenant: 'organizationProject', id: `${other.organizationId}:${projectId}` }, other.owner.token],
      [globex.scope, globex.owner.token],
    ] as const;
    for (const [scope, token] of places) {
      expect((await call(service, 'rest', 'listProjectGrants', { scope }, token)).data.items ?? []).toStrictEqualFor(scope, []);
      for (const name of ['getProjectGrant', 'suspendProjectGrant', 'endProjectGrant', 'acceptProjectGrant', 'leaveProjectGrant']) {
        const { status } = await call(service, 'rest', name, { scope, id: data.id }, `${token}.fresh`);
        expect([400, 403, 404]).toContain(status);
      }
    }
    // The customer cannot act as the owner, nor the owner as the customer.
    for (const name of ['suspendProjectGrant', 'endProjectGrant', 'updateProjectGrant'])
      expect((await call(service, 'rest', name, { scope: product, id: data.id }, `${acme.owner.token}.fresh`)).status).toBe(403);
    expect(
      (await call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id: data.id }, `${globex.owner.token}.fresh`)).status,
    ).toBe(403);
  });

  test('stands in both logs, and the other side’s person, address and program in one', async () => {
    const { offer, byOwner, byCustomer, product, acme } = await world();
    const { data } = await offer();
    await byCustomer('acceptProjectGrant', data.id);
    await byOwner('suspendProjectGrant', data.id, { reason: 'unpaid' });
    const rows = await service.query<Record<string, unknown>>(
      `SELECT action, scope_id, actor_id, user_agent, ip_address::text, detail FROM audit_log WHERE target_id = '${data.id}' ORDER BY at, id`,
    );
    for (const [scopeId, own] of [
      [product.id, ['grant.offered', 'grant.suspended']],
      [acme.organizationId, ['grant.accepted']],
    ] as const) {
      const inScope = rows.filter((row) => row['scope_id'] === scopeId);
      expect(inScope.map((row) => row['action'])).toStrictEqual(['grant.offered', 'grant.accepted', 'grant.suspended']);
      for (const row of inScope)
        expect([row['action'], row['actor_id'] !== null]).toStrictEqual([row['action'], own.some((one) => one === row['action'])]);
    }
  });

  test('ends with the project, with the customer and with the owner', async () => {
    for (const end of ['project', 'customer', 'owner'] as const) {
      const { offer, byCustomer, globex, acme, projectId, told } = await world();
      const { data } = await offer();
      await byCustomer('acceptProjectGrant', data.id);
      const side = end === 'customer' ? acme : globex;
      const answer =
        end === 'project'
          ? await call(service, 'rest', 'deleteProject', { scope: globex.scope, id: projectId }, globex.owner.token)
          : await call(service, 'rest', 'deleteOrganization', { scope: side.scope, id: side.organizationId }, side.owner.token);
      expect(answer.status).toStrictEqualFor([end, answer], 200);
      const [row] = await service.query<Record<string, unknown>>(`SELECT status FROM project_grants WHERE id = '${data.id}'`);
      expect([end, row?.['status']]).toStrictEqual([end, 'ended']);
      expect(told().at(-1)).toMatchObject({ isActive: false, isEnded: true });
    }
  });
});

describe('a grant that is being made while its project is deleted', () => {
  for (const what of ['project', 'organization'] as const)
    test(`ends with the ${what}`, async () => {
      const { globex, acme, projectId } = await world();
      const id = newId();
      const maker = await service.testDatabase.connect();
      await maker.query('BEGIN');
      await maker.query('SELECT FROM tenancy.projects WHERE id = $1 FOR UPDATE', [projectId]);
      const [name, deletedId] = what === 'project' ? ['deleteProject', projectId] : ['deleteOrganization', globex.organizationId];
      const deleted = call(service, 'rest', name, { scope: globex.scope, id: deletedId }, globex.owner.token);
      await until(async () => (await maker.query(waitingForMe)).rows.length > 0);
      await maker.query(
        `INSERT INTO tenancy.project_grants (id, project_id, owner_organization_id, organization_id, status, created_by)
         VALUES ($1, $2, $3, $4, 'active', $5)`,
        [id, projectId, globex.organizationId, acme.organizationId, globex.owner.id],
      );
      await maker.query('COMMIT');
      await maker.end();
      expect((await deleted).status).toBe(200);
      expect(await service.query('SELECT status FROM project_grants WHERE id = $1', [id])).toStrictEqual([{ status: 'ended' }]);
    });
});
