import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { addMethod, registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const service = await startIdentity();
const owner = await registered(service);

describe('the end of people in a scope', () => {
  afterAll(async () => service.stop());

  const make = async (scope: object) => {
    const made = await call(service, 'rest', 'createUser', { scope, name: 'Linus' }, { token: owner.accessToken });
    expect(made.code).toStrictEqualFor(made, 'ok');
    return made.data;
  };
  const newProject = () => ({ tenant: 'organizationProject', id: `${newId()}:${newId()}` });
  const present = async (id: string) =>
    (await service.database.query(sql('SELECT FROM users WHERE id = $1 AND deleted_at IS NULL'), [id])).length === 1;

  test('leaving a scope deletes who exists for it only; who can sign in only leaves', async () => {
    const scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
    const token = owner.accessToken;
    const [soft, hard] = [await make(scope), await make(scope)];
    const guest = await registered(service);
    service.peers.people.get(scope.id)?.add(guest.userId);
    await call(service, 'rest', 'deleteUser', { scope, id: soft.id }, { token });
    await call(service, 'rest', 'deleteUser', { scope, id: hard.id, hardDelete: true }, { token });
    await call(service, 'rest', 'deleteUser', { scope, id: guest.userId, hardDelete: true }, { token });
    const left = await service.database.query<{ id: string; gone: boolean }>(
      sql('SELECT id, deleted_at IS NOT NULL AS gone FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id'),
      [[soft.id, hard.id, guest.userId]],
    );
    expect(left).toStrictEqual([
      { id: soft.id, gone: true },
      { id: guest.userId, gone: false },
    ]);
    expect((await call(service, 'rest', 'getMe', {}, { token: guest.accessToken })).code).toBe('ok');
  });

  test('a deleted project, organization or account takes the people along who exist for it only', async () => {
    const [organizationId, projectId] = [newId(), newId()];
    const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    const [member, user] = [await make({ tenant: 'organization', id: organizationId }), await make(project)];
    await service.deliver('project.deleted', { scope: project, hard: false });
    expect([await present(member.id), await present(user.id)]).toStrictEqual([true, false]);
    await service.deliver('organization.deleted', { organizationId, projectIds: [projectId], hard: true });
    expect(await present(member.id)).toBe(false);
  });

  test('who was made here and has a sign-in by now, or was made elsewhere, only leaves', async () => {
    const [home, other] = [newProject(), newProject()];
    const token = owner.accessToken;
    const [linked, guest] = [await make(home), await make(home)];
    await addMethod(service, linked.id, 'codehost');
    service.peers.people.set(other.id, new Set([guest.id]));
    for (const [scope, { id }] of [
      [home, linked],
      [other, guest],
    ] as const) {
      expect((await call(service, 'rest', 'deleteUser', { scope, id, hardDelete: true }, { token })).code).toBe('ok');
      expect(await present(id)).toBe(true);
    }
    await service.deliver('project.deleted', { scope: home, hard: true });
    // A deleted project takes along who has only it.
    expect([await present(linked.id), await present(guest.id)]).toStrictEqual([true, false]);
  });

  test('a session that lives in a scope ends with it, or with its person there, and no other does', async () => {
    const [scope, other] = [newProject(), newProject()];
    const { userId } = await registered(service);
    const open = async (scopeId: string) => {
      const id = newId();
      const insert = `INSERT INTO sessions (id, user_id, audience, scope_tenant, scope_id, user_agent, ip_address, device_key, expires_at,
          last_used_at, created_at, updated_at)
        VALUES ($1, $2, '', 'organizationProjectUser', $3, '', '', '', now() + interval '1 day', now(), now(), now())`;
      await service.database.query(sql(insert), [id, userId, `${scopeId}:${userId}`]);
      return id;
    };
    const isEnded = async (id: string) => {
      const { revocations } = await service.revocations.list({ cursor: '' });
      const rows = await service.database.query(sql('SELECT FROM sessions WHERE id = $1'), [id]);
      return rows.length === 0 && revocations.some(({ value }) => value === id);
    };
    const [here, there] = [await open(scope.id), await open(other.id)];
    await service.deliver('user.left', { userId, scope });
    expect([await isEnded(here), await isEnded(there)]).toStrictEqual([true, false]);
    const again = await open(scope.id);
    await service.deliver('project.deleted', { scope, hard: false });
    expect([await isEnded(again), await isEnded(there)]).toStrictEqual([true, false]);
  });

  test('no user is created in a deleted project', async () => {
    const scope = newProject();
    await service.deliver('project.deleted', { scope, hard: false });
    const late = await call(service, 'rest', 'createUser', { scope, name: 'Late' }, { token: owner.accessToken });
    expect(late.code).toBe('FORBIDDEN');
  });
});
