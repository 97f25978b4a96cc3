import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import pg from 'pg';
import { builtInRoleId } from './domain/ids.ts';
import { startTestStack, type TestStack } from './testing/service.ts';

let stack: TestStack;
let client: pg.Client;
before(async () => {
  stack = await startTestStack();
  client = new pg.Client({ connectionString: stack.database.urls.rbac });
  await client.connect();
});
after(async () => {
  await client.end();
  await stack.stop();
});
async function may(...asked: Parameters<TestStack['check']>) {
  return (await stack.check(...asked)).authorized;
}

describe('events', () => {
  it('make nothing twice when they are repeated', async () => {
    const [organizationId, ownerId] = [newId(), newId()];
    const scope = { tenant: 'organization' as const, id: organizationId };
    await stack.tell('organization.created', { organizationId, ownerId });
    await stack.tell('organization.created', { organizationId, ownerId });
    const list = await stack.request('GET', `/api/roles?scopeId=${organizationId}&tenant=organization`, {
      token: stack.token({ userId: ownerId }),
    });
    assert.equal(list.data.totalCount, 4);
    const userId = newId();
    const member = { organizationId, userId, roleId: builtInRoleId('organization', organizationId, 'Viewer') };
    const id = newId();
    assert.ok(await stack.tell('member.added', member, { id }));
    assert.ok(await stack.tell('user.left', { userId, scope }));
    assert.ok(await stack.tell('member.added', member, { id }), 'acknowledged, not applied again');
    assert.equal(await may(userId, scope, 'Role:Query'), false);
  });

  it('that are about a tenant not known yet wait for it', async () => {
    const [organizationId, userId] = [newId(), newId()];
    const member = { organizationId, userId, roleId: builtInRoleId('organization', organizationId, 'Dev') };
    const id = newId();
    assert.equal(await stack.tell('member.added', member, { id }), false);
    await stack.tell('organization.created', { organizationId, ownerId: newId() });
    assert.equal(await stack.tell('member.added', member, { id }), true);
    assert.ok(await may(userId, { tenant: 'organization', id: organizationId }, 'Role:Create'));
  });

  it('that come after the end change nothing', async () => {
    const [organizationId, ownerId] = [newId(), newId()];
    const scope = { tenant: 'organization' as const, id: organizationId };
    await stack.tell('organization.deleted', { organizationId, projectIds: [], hard: false });
    assert.ok(await stack.tell('organization.created', { organizationId, ownerId }));
    assert.ok(await stack.tell('member.added', { organizationId, userId: newId(), roleId: newId() }));
    assert.equal((await stack.check(ownerId, scope, 'Role:Query')).reason, 'INVALID_SCOPE');
  });

  it('that tell late of a member leave the role that somebody has given them meanwhile', async () => {
    const acme = await stack.makeOrganization();
    const userId = newId();
    const roles = stack.clientOf(0).roles;
    const actor = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
    await roles.changeMemberRole({ actor, scope: acme.scope, userId, roleId: acme.roleId('Viewer') });
    assert.ok(await stack.tell('member.added', { organizationId: acme.id, userId, roleId: acme.roleId('Admin') }));
    const { subjects } = await roles.listSubjectRoles({ scope: acme.scope, userIds: [userId] });
    assert.deepEqual(
      subjects[0]?.roles.map(({ name }) => name),
      ['Viewer'],
    );
    assert.equal(await may(userId, acme.scope, 'OrganizationMember:Remove'), false);
  });

  it('give a role only where it belongs', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const project = await stack.makeProject(acme.scope);
    const [one, two] = [newId(), newId()];
    await stack.tell('member.added', { organizationId: acme.id, userId: one, roleId: globex.roleId('Owner') });
    await stack.join(project, [acme.roleId('Owner')], two);
    assert.equal(await may(one, acme.scope, 'Role:Query'), false);
    assert.equal(await may(two, project, 'Role:Query'), false);
    assert.equal(await may(one, globex.scope, 'Role:Query'), false);
  });

  it('tag what was made, with the tags that are still there', async () => {
    const acme = await stack.makeOrganization();
    const token = stack.token({ userId: acme.ownerId });
    const { data: tag } = await stack.request('POST', '/api/tags', { token, body: { scope: acme.scope, name: 'red', color: 'red' } });
    const projectId = newId();
    const scope = { tenant: 'organizationProject', id: `${acme.id}:${projectId}` };
    await stack.tell('project.created', { scope, createdBy: acme.ownerId, tagIds: [`${tag.id}`, newId()], primaryTagId: `${tag.id}` });
    const { entities } = await stack.clientOf(0).tags.listEntityTags({ scope: acme.scope, entity: 'project', entityIds: [projectId] });
    assert.deepEqual([entities[0]?.tags.map(({ name }) => name), entities[0]?.primaryTagId], [['red'], tag.id]);
  });

  it('leave what was changed exactly its tags, each with those that are still there, and say the primary ones of all at once', async () => {
    const acme = await stack.makeOrganization();
    const token = stack.token({ userId: acme.ownerId });
    const project = await stack.makeProject(acme.scope);
    const [, projectId = ''] = project.id.split(':');
    const make = async (scope: object, name: string) =>
      String((await stack.request('POST', '/api/tags', { token, body: { scope, name, color: 'red' } })).data.id);
    const { tags } = stack.clientOf(0);
    const cases = [
      {
        ...{ scope: acme.scope, entity: 'project', entityId: projectId, ids: [await make(acme.scope, 'a'), await make(acme.scope, 'b')] },
        tell: (tagIds: string[], primaryTagId: string | null) =>
          stack.tell('project.tagged', { scope: acme.scope, projectId, tagIds, primaryTagId }),
      },
      ...(['user', 'projectApp'] as const).map((entity, place) => {
        const entityId = newId();
        const scope = place === 0 ? acme.scope : project;
        return {
          ...{ scope, entity, entityId, ids: [] as string[] },
          tell: (tagIds: string[], primaryTagId: string | null) =>
            stack.tell('entity.tagged', { scope, entity, entityId, tagIds, primaryTagId }),
        };
      }),
    ];
    for (const { scope, entity, entityId, ids, tell } of cases) {
      const [a = await make(scope, 'a'), b = await make(scope, 'b')] = ids;
      const shown = async () => {
        const { entities } = await tags.listEntityTags({ scope, entity, entityIds: [entityId] });
        return [entities[0]?.tags.map(({ name }) => name), entities[0]?.primaryTagId];
      };
      await tell([a, b, newId()], b);
      assert.deepEqual(await shown(), [['a', 'b'], b], entity);
      if (entity === 'project') {
        const elsewhere = { parent: { tenant: 'account', id: newId() }, projectId: entityId };
        const primary = await tags.listPrimaryTags({ projects: [{ parent: scope, projectId: entityId }, elsewhere] });
        assert.deepEqual(primary.tags, [{ projectId: entityId, tagId: b }]);
      }
      await tell([a], null);
      assert.deepEqual(await shown(), [['a'], undefined], entity);
      await tell([], null);
      assert.deepEqual(await shown(), [[], undefined], entity);
    }
    await stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [projectId], hard: true });
    assert.ok(await cases[0]?.tell([newId()], null), 'after the end it is nothing');
  });

  it('of a user who leaves or is deleted take every right away', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const userId = await acme.addMember('Dev');
    assert.ok(await may(userId, project, 'Role:Create'));
    await stack.tell('user.left', { userId, scope: acme.scope });
    assert.equal(await may(userId, project, 'Role:Create'), false);
    const other = await acme.addMember('Dev');
    assert.ok(await may(other, acme.scope, 'Role:Create'));
    await stack.tell('user.deleted', { userId: other, hard: true });
    assert.equal(await may(other, acme.scope, 'Role:Create'), false);
  });

  it('of deletion end the organization, its projects and, when hard, every row', async () => {
    const rowsOf = async (organizationId: string, projectId: string) => {
      const tables = ['organization_roles', 'organization_tags', 'organization_groups'].map(
        (name) => `SELECT 1 FROM ${name} WHERE organization_id = $1`,
      );
      const { rows } = await client.query(
        `${tables.join(' UNION ALL ')} UNION ALL SELECT 1 FROM project_roles WHERE project_id = $2 UNION ALL SELECT 1 FROM role_assignments WHERE scope_id LIKE $1::text || '%'`,
        [organizationId, projectId],
      );
      return rows.length;
    };
    for (const hard of [false, true]) {
      const acme = await stack.makeOrganization();
      const project = await stack.makeProject(acme.scope);
      const token = stack.token({ userId: acme.ownerId });
      for (const scope of [acme.scope, project]) await stack.request('POST', '/api/roles', { token, body: { scope, name: 'r' } });
      assert.ok(await may(acme.ownerId, project, 'Role:Query'));
      const projectId = project.id.split(':')[1] ?? '';
      await stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [projectId], hard });
      for (const scope of [acme.scope, project])
        assert.equal((await stack.check(acme.ownerId, scope, 'Role:Query')).reason, 'INVALID_SCOPE');
      assert.equal((await stack.request('POST', '/api/roles', { token, body: { scope: acme.scope, name: 'late' } })).status, 403);
      assert.equal((await rowsOf(acme.id, projectId)) === 0, hard);
    }
  });

  it('end a membership when the last role that a member had is deleted', async () => {
    const acme = await stack.makeOrganization();
    const token = stack.token({ userId: acme.ownerId });
    const { data: role } = await stack.request('POST', '/api/roles', { token, body: { scope: acme.scope, name: 'only' } });
    const [alone, richer] = [newId(), await acme.addMember('Viewer')];
    for (const userId of [alone, richer]) await stack.tell('member.added', { organizationId: acme.id, userId, roleId: `${role.id}` });
    await stack.request('DELETE', `/api/roles/${role.id}?scopeId=${acme.id}&tenant=organization`, { token });
    const ended = stack.peers.heard
      .filter(({ type }) => type === 'membership.ended')
      .map(({ payloadJson }) => JSON.parse(payloadJson).userId);
    assert.ok(ended.includes(alone) && !ended.includes(richer));
  });
});
