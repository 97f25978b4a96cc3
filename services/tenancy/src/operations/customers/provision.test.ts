/** What its maker learns of an organization by its externalId, and who becomes its first Owner. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call, type Input } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

type Row = Readonly<Record<string, unknown>>;
const newEmail = () => `${newId()}@example.com`;
const provisionerId = newId();
const provisioner = `service.${provisionerId}..platform`;
service.identity.serviceAccounts.add(provisionerId);

async function world() {
  const vendor = await service.createOrganization('Vendor');
  const { organizationId: id, scope, owner } = vendor;
  await service.query('INSERT INTO tenant_restrictions (tenant_id, tenant, can_provision) VALUES ($1, $2, true)', [id, 'organization']);
  const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Billing' }, owner.token);
  const projectId = String(data['id']);
  const machine = newId();
  service.identity.serviceAccounts.add(machine);
  service.rbac.receive({
    type: 'member.added',
    payload: { organizationId: id, userId: machine, roleId: service.rbac.roleId(id, 'Admin') },
  });
  const token = `service.${machine}.${id}.organization`;
  const externalId = newId();
  const sell = (fields: Input = {}) =>
    call(service, 'rest', 'createCustomer', { id, name: 'Acme', projectId, externalId, owner: { email: newEmail() }, ...fields }, token);
  const make = (fields: Input = {}) =>
    call(service, 'rest', 'createPlatformOrganization', { name: 'Acme', externalId, owner: { email: newEmail() }, ...fields }, provisioner);
  return { vendor, machine, projectId, project: { tenant: 'organizationProject', id: `${id}:${projectId}` }, externalId, sell, make };
}

const idOf = (data: Row, name: string) => (data[name] as { readonly id: string }).id;
const invitationOf = (data: Row) => data['invitation'] as { readonly id: string; readonly email: string; readonly status: string };
const accept = (email: string, token = service.identity.tokenFor(email)) =>
  call(service, 'rest', 'acceptInvitation', { token, userData: { name: 'Ada', password: 'correct horse battery' } }, undefined);
const membersOf = (id: string) => service.query('SELECT user_id FROM organization_users WHERE organization_id = $1', [id]);
const rowsOf = (targets: readonly string[]) =>
  service.query<Row>(`SELECT action, scope_id AS place, detail, changes FROM audit_log WHERE target_id = ANY ($1) ORDER BY at, id`, [
    targets,
  ]);

describe('the same externalId, sent again after the Owner has come', () => {
  test.each(['sell', 'make'] as const)('answers nothing that the Owner has written, nor the invitation (%s)', async (door) => {
    const places = await world();
    const email = newEmail();
    const first = await places[door]({ owner: { email } });
    const id = idOf(first.data, 'organization');
    expect((await accept(email)).status).toBe(200);
    await service.query(
      `UPDATE organizations SET metadata = '{"secret":"plan"}', security = '{"requireSecondFactor":true,"maxSessionAgeMinutes":5}' WHERE id = $1`,
      [id],
    );
    const again = await places[door]({ owner: { email } });
    expect(again.data).toMatchObject({
      invitation: null,
      organization: {
        id,
        name: 'Acme',
        metadata: {},
        security: { requireSecondFactor: false, maxSessionAgeMinutes: null, allowEmailCode: true },
      },
    });
    expect(JSON.stringify(again.data)).not.toContain('secret');
  });

  test.each(['suspendProjectGrant', 'endProjectGrant'])(
    'is the organization while the grant is in use, and then 409 (%s)',
    async (move) => {
      const { vendor, project, projectId, sell, make } = await world();
      const grants = [{ projectId }];
      const [sold, made] = [await sell(), await make({ grants })];
      const ids = [idOf(sold.data, 'grant'), (made.data['grants'] as readonly { id: string }[])[0]?.id];
      for (const id of ids) await call(service, 'rest', move, { scope: project, id }, vendor.owner.token);
      const statuses = [(await sell()).status, (await make({ grants })).status];
      expect(statuses).toStrictEqual(move === 'suspendProjectGrant' ? [200, 200] : [409, 409]);
    },
  );

  test('is 409 at both doors with a project that it does not use', async () => {
    const { vendor, sell, make } = await world();
    await sell();
    await make();
    const { data } = await call(service, 'rest', 'createProject', { scope: vendor.scope, name: 'Other' }, vendor.owner.token);
    const answers = [await sell({ projectId: data['id'] }), await make({ grants: [{ projectId: data['id'] }] })];
    expect(answers.map(({ status, key }) => [status, key])).toStrictEqual([
      [409, 'errors.organization.customerExists'],
      [409, 'errors.organization.customerExists'],
    ]);
  });
});

describe('the log of a repeated request', () => {
  test.each(['sell', 'make'] as const)('says neither that anything was made nor a name of the caller’s choice (%s)', async (door) => {
    const places = await world();
    const email = newEmail();
    const first = await places[door]({ owner: { email } });
    const ids = [idOf(first.data, 'organization'), invitationOf(first.data).id];
    const before = (await rowsOf(ids)).length;
    await places[door]({ owner: { email }, name: 'Forged' });
    const rows = (await rowsOf(ids)).slice(before);
    const place = door === 'sell' ? places.vendor.organizationId : null;
    expect(rows).toStrictEqual([{ action: 'organization.found', place, detail: { externalId: places.externalId }, changes: [] }]);
  });

  test.each(['sell', 'make'] as const)('says in the maker’s place who was invited anew (%s)', async (door) => {
    const places = await world();
    const first = await places[door]();
    const organizationId = idOf(first.data, 'organization');
    const again = await places[door]({ name: 'Forged' });
    const rows = await rowsOf([invitationOf(again.data).id]);
    const place = door === 'sell' ? places.vendor.organizationId : null;
    const detail = { organizationId, externalId: places.externalId };
    expect(rows).toStrictEqual([{ action: 'organizationInvitation.created', place, detail, changes: [] }]);
  });
});

describe('the invitation of a first Owner', () => {
  test('ends when another address is invited in its place, and stays for the same one', async () => {
    const { sell } = await world();
    const [wrong, right] = [newEmail(), newEmail()];
    const first = await sell({ owner: { email: wrong } });
    const same = await sell({ owner: { email: wrong } });
    expect(invitationOf(same.data).id).toBe(invitationOf(first.data).id);
    const token = service.identity.tokenFor(wrong);
    const other = await sell({ owner: { email: right } });
    expect(invitationOf(other.data)).toMatchObject({ email: right, status: 'pending' });
    expect((await accept(wrong, token)).status).toBe(409);
    expect((await accept(right)).status).toBe(200);
    expect((await membersOf(idOf(first.data, 'organization'))).length).toBe(1);
  });

  test.each([
    ['may no longer make others', 'UPDATE tenant_restrictions SET can_provision = false WHERE tenant_id = $1'],
    ['is suspended', 'UPDATE tenant_restrictions SET suspended_at = now() WHERE tenant_id = $1'],
    ['is deleted', 'UPDATE organizations SET deleted_at = now() WHERE id = $1'],
  ])('is refused once its maker %s', async (_, change) => {
    const { vendor, sell } = await world();
    const email = newEmail();
    const { data } = await sell({ owner: { email } });
    await service.query(change, [vendor.organizationId]);
    expect((await accept(email)).status).toBe(409);
    expect(await membersOf(idOf(data, 'organization'))).toStrictEqual([]);
  });

  test.each(['sell', 'make'] as const)(
    'is refused once the account that made it has ended, until another one asks again (%s)',
    async (door) => {
      const places = await world();
      const { vendor, projectId, externalId } = places;
      const email = newEmail();
      const { data } = await places[door]({ owner: { email } });
      const makers = service.identity.serviceAccounts;
      await using cleanup = new AsyncDisposableStack();
      cleanup.defer(() => void makers.add(provisionerId));
      const maker = door === 'sell' ? places.machine : provisionerId;
      makers.delete(maker);
      const token = service.identity.tokenFor(email);
      expect((await accept(email, token)).status).toBe(409);
      expect(await membersOf(idOf(data, 'organization'))).toStrictEqual([]);
      // The next account of the place finds the organization: the mail that was sent is good again.
      const next = newId();
      makers.add(next);
      service.rbac.receive({
        type: 'member.added',
        payload: { organizationId: vendor.organizationId, userId: next, roleId: service.rbac.roleId(vendor.organizationId, 'Admin') },
      });
      const asked = { name: 'Acme', externalId, owner: { email } };
      const again =
        door === 'sell'
          ? await call(
              service,
              'rest',
              'createCustomer',
              { id: vendor.organizationId, projectId, ...asked },
              `service.${next}.${vendor.organizationId}.organization`,
            )
          : await call(service, 'rest', 'createPlatformOrganization', asked, `service.${next}..platform`);
      expect([again.status, invitationOf(again.data).id]).toStrictEqual([200, invitationOf(data).id]);
      expect((await accept(email, token)).status).toBe(200);
    },
  );

  test('that an administrator of the platform sent is refused once they are none', async () => {
    const administrator = await service.register('Ada');
    service.identity.administrators.add(administrator.id);
    const [early, late] = [newEmail(), newEmail()];
    const make = (email: string) =>
      call(service, 'rest', 'createPlatformOrganization', { name: 'Acme', owner: { email } }, `${administrator.token}.fresh`);
    for (const email of [early, late]) expect((await make(email)).status).toBe(201);
    expect((await accept(early)).status).toBe(200);
    service.identity.administrators.delete(administrator.id);
    expect((await accept(late)).status).toBe(409);
  });

  test('makes one Owner of two whose invitations are open, also of two who register', async () => {
    const { sell } = await world();
    const [one, two] = [newEmail(), newEmail()];
    const { data } = await sell({ owner: { email: one } });
    const first = service.identity.tokenFor(one);
    await sell({ owner: { email: two } });
    // As of the release before, which left both open.
    await service.query(`UPDATE organization_invitations SET status = 'pending' WHERE id = $1`, [invitationOf(data).id]);
    const answers = await Promise.all([accept(one, first), accept(two)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
    expect((await membersOf(idOf(data, 'organization'))).length).toBe(1);
  });

  test('is not sent again after an Owner has come and gone', async () => {
    const { sell } = await world();
    const email = newEmail();
    const { data } = await sell({ owner: { email } });
    await accept(email);
    const id = idOf(data, 'organization');
    await service.query('DELETE FROM organization_users WHERE organization_id = $1', [id]);
    expect((await sell()).data['invitation']).toBe(null);
  });
});

test('an Owner of an organization that was made invites another Owner', async () => {
  const { sell } = await world();
  const [email, partner] = [newEmail(), newEmail()];
  const { data } = await sell({ owner: { email } });
  const id = idOf(data, 'organization');
  const accepted = await accept(email);
  const owner = `session.${idOf(accepted.data, 'user')}.true`;
  const scope = { tenant: 'organization', id };
  const invited = await call(service, 'rest', 'inviteMember', { scope, email: partner, roleId: service.rbac.roleId(id, 'Owner') }, owner);
  expect(invited.status).toStrictEqualFor(invited, 201);
  expect((await accept(partner)).status).toBe(200);
  expect((await membersOf(id)).length).toBe(2);
});
