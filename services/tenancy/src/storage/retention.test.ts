import { afterAll, expect, test } from '@jest/globals';
import { call } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { pruneDeleted } from './retention.ts';

const service = await openTestService();
afterAll(() => service.close());

test('retention removes records that were deleted 90 days ago with their rows, and keeps all others', async () => {
  const { owner, organizationId: old } = await service.createOrganization('Old');
  const scope = { tenant: 'organization', id: old };
  await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
  const lately = (await service.createOrganization('Lately')).organizationId;
  const living = (await service.createOrganization('Living')).organizationId;
  await service.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [lately]);
  await call(service, 'rest', 'deleteOrganization', { scope, id: old }, owner.token);
  await service.query(`UPDATE organizations SET deleted_at = now() - interval '91 days' WHERE id = $1`, [old]);
  await service.query(`UPDATE projects SET deleted_at = now() - interval '91 days' WHERE deleted_at IS NOT NULL`);
  await pruneDeleted(service.database);
  const left = await service.query<{ id: string }>('SELECT id FROM organizations ORDER BY id');
  expect(left.map(({ id }) => id).toSorted()).toStrictEqual([lately, living].toSorted());
  expect(await service.query('SELECT 1 FROM projects UNION ALL SELECT 1 FROM organization_projects')).toStrictEqual([]);
});

test('retention removes invitations 400 days after they closed, and keeps open ones', async () => {
  const { owner, organizationId, scope } = await service.createOrganization('Inviting');
  const roleId = service.rbac.roleId(organizationId, 'Dev');
  const invite = async (email: string, status: string, days: number) => {
    const { data } = await call(service, 'rest', 'inviteMember', { scope, email, roleId }, owner.token);
    const set = `UPDATE organization_invitations SET status = $2, updated_at = now() - $3 * interval '1 day' WHERE id = $1`;
    await service.query(set, [data.id, status, days]);
    return String(data.id);
  };
  for (const status of ['accepted', 'expired', 'revoked']) await invite(`${status}.long.ago@example.com`, status, 401);
  const kept = [await invite('lately@example.com', 'revoked', 399), await invite('open@example.com', 'pending', 401)];
  await pruneDeleted(service.database);
  const left = await service.query<{ id: string }>('SELECT id FROM organization_invitations WHERE organization_id = $1', [organizationId]);
  expect(left.map(({ id }) => id).toSorted()).toStrictEqual(kept.toSorted());
});
