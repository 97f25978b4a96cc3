import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openTestService } from '../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

type Counts = Readonly<Record<string, number | 'unknown'>>;

async function recordOf(targetId: string): Promise<Counts | undefined> {
  const rows = await service.query<{ counts: Counts }>(
    `SELECT detail->'counts' AS counts FROM audit_log WHERE target_id = $1 AND action LIKE '%.deleted'`,
    [targetId],
  );
  return rows[0]?.counts;
}

async function organizationWithProject() {
  const { owner, organizationId, scope } = await service.createOrganization();
  const headers = { authorization: `Bearer ${owner.token}` };
  const made = await service.app.inject({ method: 'POST', url: '/api/projects', headers, payload: { scope, name: 'Shop' } });
  const projectId: string = made.json().data.id;
  const remove = (path: string) =>
    service.app.inject({ method: 'DELETE', url: `/api/${path}?tenant=organization&scopeId=${organizationId}`, headers });
  service.rbac.tag(organizationId, newId(), []);
  service.rbac.tag(`${organizationId}:${projectId}`, newId(), []);
  return { organizationId, projectId, remove };
}

test('the record of a deleted project says how much the other services kept of it', async () => {
  const { projectId, remove } = await organizationWithProject();
  expect((await remove(`projects/${projectId}`)).statusCode).toBe(200);
  expect(await recordOf(projectId)).toStrictEqual({ users: 0, roles: 0, tags: 1, apiKeys: 3, projectApps: 2 });
});

test('the record of a deleted organization counts what lies in its projects too', async () => {
  const { organizationId, remove } = await organizationWithProject();
  expect((await remove(`organizations/${organizationId}`)).statusCode).toBe(200);
  const own = { members: 1, projects: 1, invitations: 0, domains: 0 };
  expect(await recordOf(organizationId)).toStrictEqual({ ...own, roles: 0, tags: 2, apiKeys: 3, projectApps: 2 });
});

test('a service that does not answer makes its counts unknown, and holds up no deletion', async () => {
  const { projectId, remove } = await organizationWithProject();
  for (const name of ['keys', 'identity']) service.unreachablePeers.add(name);
  const removed = await remove(`projects/${projectId}`);
  service.unreachablePeers.clear();
  expect(removed.statusCode).toBe(200);
  expect(await recordOf(projectId)).toMatchObject({ tags: 1, apiKeys: 'unknown', projectApps: 'unknown' });
});
