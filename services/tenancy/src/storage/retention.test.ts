import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { call } from '../testing/call.ts';
import { openStage, type Stage } from '../testing/service.ts';
import { pruneDeleted } from './retention.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

it('what was deleted long ago goes with all that hangs on it; what lives, or went lately, stays', async () => {
  const { owner, organizationId: old } = await stage.found('Old');
  const scope = { tenant: 'organization', id: old };
  await call(stage, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
  const lately = (await stage.found('Lately')).organizationId;
  const living = (await stage.found('Living')).organizationId;
  await stage.rows('UPDATE organizations SET deleted_at = now() WHERE id = $1', [lately]);
  await call(stage, 'rest', 'deleteOrganization', { scope, id: old }, owner.token);
  await stage.rows(`UPDATE organizations SET deleted_at = now() - interval '91 days' WHERE id = $1`, [old]);
  await stage.rows(`UPDATE projects SET deleted_at = now() - interval '91 days' WHERE deleted_at IS NOT NULL`);
  await stage.database.transaction(pruneDeleted);
  const left = await stage.rows<{ id: string }>('SELECT id FROM organizations ORDER BY id');
  assert.deepEqual(left.map(({ id }) => id).toSorted(), [lately, living].toSorted());
  assert.deepEqual(await stage.rows('SELECT 1 FROM projects UNION ALL SELECT 1 FROM organization_projects'), []);
});

it('invitations are kept for 400 days after they were decided, and while they are open', async () => {
  const { owner, organizationId } = await stage.found('Inviting');
  const scope = { tenant: 'organization', id: organizationId };
  const roleId = stage.rbac.roleId(organizationId, 'Dev');
  const invite = async (email: string, status: string, days: number) => {
    const { data } = await call(stage, 'rest', 'inviteMember', { scope, email, roleId }, owner.token);
    const set = `UPDATE organization_invitations SET status = $2, updated_at = now() - $3 * interval '1 day' WHERE id = $1`;
    await stage.rows(set, [data.id, status, days]);
    return String(data.id);
  };
  for (const status of ['accepted', 'expired', 'revoked']) await invite(`${status}.long.ago@example.com`, status, 401);
  const kept = [await invite('lately@example.com', 'revoked', 399), await invite('open@example.com', 'pending', 401)];
  await stage.database.transaction(pruneDeleted);
  const left = await stage.rows<{ id: string }>('SELECT id FROM organization_invitations WHERE organization_id = $1', [organizationId]);
  assert.deepEqual(left.map(({ id }) => id).toSorted(), kept.toSorted());
});
