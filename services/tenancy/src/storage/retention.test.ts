import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { call } from '../testing/call.ts';
import { openStage, type Stage } from '../testing/stage.ts';
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
