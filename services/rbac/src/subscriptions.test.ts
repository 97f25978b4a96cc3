import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { until } from '../../../test/support/until.ts';
import { startTestStack, type TestStack } from './testing/service.ts';

const stack = await startTestStack();
const client = await stack.database.connect(stack.database.urls.rbac);
afterAll(() => stack.stop());
async function may(...asked: Parameters<TestStack['check']>) {
  return (await stack.check(...asked)).authorized;
}

describe('event handlers', () => {
  test('a repeated event creates nothing twice', async () => {
    const [organizationId, ownerId] = [newId(), newId()];
    const scope = { tenant: 'organization' as const, id: organizationId };
    await stack.tell('organization.created', { organizationId, ownerId });
    await stack.tell('organization.created', { organizationId, ownerId });
    const list = await stack.request('GET', `/api/roles?scopeId=${organizationId}&tenant=organization`, {
      token: stack.token({ userId: ownerId }),
    });
    expect(list.data.totalCount).toBe(5);
    const userId = newId();
    const member = { organizationId, userId, roleId: builtInRoleId('organization', organizationId, 'Viewer') };
    const id = newId();
    expect(await stack.tell('member.added', member, { id })).toBe(true);
    expect(await stack.tell('user.left', { userId, scope })).toBe(true);
    // Acknowledged, not applied again.
    expect(await stack.tell('member.added', member, { id })).toBe(true);
    expect(await may(userId, scope, 'Role:Query')).toBe(false);
  });

  test('a mail to the Owners of an organization goes to all of them, and to no other member', async () => {
    const acme = await stack.makeOrganization();
    const second = await acme.addMember('Owner');
    await acme.addMember('Admin');
    const mail = { messageId: newId(), organizationId: acme.id, template: 'grant-ended', language: 'de', data: { projectName: 'Billing' } };
    expect(await stack.tell('owners.told', mail)).toBe(true);
    expect(await stack.tell('owners.told', { ...mail, messageId: newId(), organizationId: newId() })).toBe(true);
    const { organizationId: _, ...letter } = mail;
    const told = () => stack.peers.heard.filter(({ type }) => type === 'people.told');
    await until(() => told().length > 0);
    expect(told().map(({ payloadJson }) => JSON.parse(payloadJson))).toStrictEqual([
      { ...letter, userIds: [acme.ownerId, second].toSorted() },
    ]);
  });

  test('an event about an unknown tenant is not accepted before the tenant is created', async () => {
    const [organizationId, userId] = [newId(), newId()];
    const member = { organizationId, userId, roleId: builtInRoleId('organization', organizationId, 'Dev') };
    const id = newId();
    expect(await stack.tell('member.added', member, { id })).toBe(false);
    await stack.tell('organization.created', { organizationId, ownerId: newId() });
    expect(await stack.tell('member.added', member, { id })).toBe(true);
    expect(await may(userId, { tenant: 'organization', id: organizationId }, 'Role:Create')).toBe(true);
  });

  test('an event that comes after the tenant was deleted changes nothing', async () => {
    const [organizationId, ownerId] = [newId(), newId()];
    const scope = { tenant: 'organization' as const, id: organizationId };
    await stack.tell('organization.deleted', { organizationId, projectIds: [], hard: false });
    expect(await stack.tell('organization.created', { organizationId, ownerId })).toBe(true);
    expect(await stack.tell('member.added', { organizationId, userId: newId(), roleId: newId() })).toBe(true);
    expect((await stack.check(ownerId, scope, 'Role:Query')).reason).toBe('INVALID_SCOPE');
  });

  test('accounts of imported people open together, once; one that was deleted before stays closed', async () => {
    const at = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
    const accounts = Array.from({ length: 100 }, () => ({ id: newId(), type: 'personal' as const, ownerId: newId(), ...at }));
    const [first, gone, last] = [accounts[0], accounts[50], accounts[99]];
    await stack.tell('account.deleted', { accountId: gone?.id ?? '', projectIds: [], hard: false });
    for (const _ of ['first', 'again']) {
      expect(await stack.tell('accounts.imported', { accounts })).toBe(true);
      for (const account of [first, last])
        expect(await may(account?.ownerId ?? '', { tenant: 'account', id: account?.id ?? '' }, 'Project:Create')).toBe(true);
      expect(await may(first?.ownerId ?? '', { tenant: 'account', id: last?.id ?? '' }, 'Project:Create')).toBe(false);
      expect((await stack.check(gone?.ownerId ?? '', { tenant: 'account', id: gone?.id ?? '' }, 'Project:Create')).reason).toBe(
        'INVALID_SCOPE',
      );
    }
  });

  test('a late member.added keeps the role that the member was given meanwhile', async () => {
    const acme = await stack.makeOrganization();
    const userId = newId();
    const roles = stack.clientOf(0).roles;
    const actor = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
    await roles.changeMemberRole({ actor, scope: acme.scope, userId, roleId: acme.roleId('Viewer') });
    expect(await stack.tell('member.added', { organizationId: acme.id, userId, roleId: acme.roleId('Admin') })).toBe(true);
    const { subjects } = await roles.listSubjectRoles({ scope: acme.scope, userIds: [userId] });
    expect(subjects[0]?.roles.map(({ name }) => name)).toStrictEqual(['Viewer']);
    expect(await may(userId, acme.scope, 'OrganizationMember:Remove')).toBe(false);
  });

  test('people of a directory get their role together; who has left since, or has another role by now, is left out', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const [one, two, gone, promoted] = [newId(), newId(), newId(), newId()];
    const [viewer, dev] = [acme.roleId('Viewer'), acme.roleId('Dev')];
    await stack.tell('user.left', { userId: gone, scope: acme.scope });
    await stack.tell('member.added', { organizationId: acme.id, userId: promoted, roleId: dev });
    const members = [one, gone, two, promoted].map((userId) => ({ userId, roleId: viewer }));
    const foreign = newId();
    const all = [...members, { userId: foreign, roleId: globex.roleId('Owner') }];
    const grown = () =>
      stack.peers.heard.flatMap(({ type, payloadJson }) => {
        const { scope, userIds } = JSON.parse(payloadJson);
        return type === 'rights.grew' && scope.id === acme.id && userIds.includes(one) ? [userIds] : [];
      });
    for (const _ of ['first', 'again']) {
      expect(await stack.tell('members.provisioned', { organizationId: acme.id, members: all })).toBe(true);
      const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope: acme.scope, userIds: [one, two, gone, promoted] });
      const held = new Map(subjects.map(({ userId, roles }) => [userId, roles.map(({ id }) => id)]));
      expect([one, two, gone, promoted].map((userId) => held.get(userId) ?? [])).toStrictEqual([[viewer], [viewer], [], [dev]]);
      expect(await may(one, acme.scope, 'Role:Query')).toBe(true);
      for (const refused of [gone, foreign]) expect(await may(refused, acme.scope, 'Role:Query')).toBe(false);
    }
    // What others hold for them ends, in one event for all.
    await until(() => grown().length > 0);
    expect(grown()[0]).toStrictEqual([one, two, foreign]);
  });

  test('a role from another scope is not given', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const project = await stack.makeProject(acme.scope);
    const [one, two] = [newId(), newId()];
    await stack.tell('member.added', { organizationId: acme.id, userId: one, roleId: globex.roleId('Owner') });
    await stack.join(project, [acme.roleId('Owner')], two);
    expect(await may(one, acme.scope, 'Role:Query')).toBe(false);
    expect(await may(two, project, 'Role:Query')).toBe(false);
    expect(await may(one, globex.scope, 'Role:Query')).toBe(false);
  });

  test('project.created tags the project with those tags that still exist', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const { data: tag } = await stack.request('POST', '/api/tags', { token, body: { scope: acme.scope, name: 'red', color: 'red' } });
    const projectId = newId();
    const scope = { tenant: 'organizationProject', id: `${acme.id}:${projectId}` };
    await stack.tell('project.created', { scope, createdBy: acme.ownerId, tagIds: [`${tag.id}`, newId()], primaryTagId: `${tag.id}` });
    const { entities } = await stack.clientOf(0).tags.listEntityTags({ scope: acme.scope, entity: 'project', entityIds: [projectId] });
    expect([entities[0]?.tags.map(({ name }) => name), entities[0]?.primaryTagId]).toStrictEqual([['red'], tag.id]);
  });

  test('project.tagged and entity.tagged replace the tags, and primary tags of many projects are listed at once', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const [, projectId = ''] = project.id.split(':');
    const make = async (scope: object, name: string) =>
      String((await stack.request('POST', '/api/tags', { token, body: { scope, name, color: 'red' } })).data.id);
    const { tags } = stack.clientOf(0);
    const cases = [
      {
        scope: acme.scope,
        entity: 'project',
        entityId: projectId,
        ids: [await make(acme.scope, 'a'), await make(acme.scope, 'b')],
        tell: (tagIds: string[], primaryTagId: string | null) =>
          stack.tell('project.tagged', { scope: acme.scope, projectId, tagIds, primaryTagId }),
      },
      ...(['user', 'projectApp'] as const).map((entity, place) => {
        const entityId = newId();
        const scope = place === 0 ? acme.scope : project;
        return {
          scope,
          entity,
          entityId,
          ids: [] as string[],
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
      expect(await shown()).toStrictEqualFor(entity, [['a', 'b'], b]);
      if (entity === 'project') {
        const elsewhere = { parent: { tenant: 'account', id: newId() }, projectId: entityId };
        const primary = await tags.listPrimaryTags({ projects: [{ parent: scope, projectId: entityId }, elsewhere] });
        expect(primary.tags).toStrictEqual([{ projectId: entityId, tagId: b }]);
      }
      await tell([a], null);
      expect(await shown()).toStrictEqualFor(entity, [['a'], undefined]);
      await tell([], null);
      expect(await shown()).toStrictEqualFor(entity, [[], undefined]);
    }
    await stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [projectId], hard: true });
    // After the end it is nothing.
    expect(await cases[0]?.tell([newId()], null)).toBeTruthy();
  });

  test('user.left and user.deleted take all rights of the user', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const userId = await acme.addMember('Dev');
    expect(await may(userId, project, 'Role:Create')).toBe(true);
    await stack.tell('user.left', { userId, scope: acme.scope });
    expect(await may(userId, project, 'Role:Create')).toBe(false);
    const other = await acme.addMember('Dev');
    expect(await may(other, acme.scope, 'Role:Create')).toBe(true);
    await stack.tell('user.deleted', { userId: other, hard: true });
    expect(await may(other, acme.scope, 'Role:Create')).toBe(false);
  });

  test('the echo of a membership that rbac has ended locks no scope again; a later end takes all rights', async () => {
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    const version = async () => (await client.query('SELECT version FROM tenants WHERE id = $1', [acme.id])).rows[0].version;
    await stack.clientOf(0).roles.endMembership({ scope: acme.scope, userId });
    const ended = await version();
    expect(await stack.tell('user.left', { userId, scope: acme.scope })).toBe(true);
    expect(await version()).toBe(ended);
    await acme.addMember('Dev', userId);
    expect(await may(userId, acme.scope, 'Role:Create')).toBe(true);
    expect(await stack.tell('user.left', { userId, scope: acme.scope })).toBe(true);
    expect(await may(userId, acme.scope, 'Role:Create')).toBe(false);
  });

  test('organization.deleted ends the organization and its projects; a hard deletion removes every row', async () => {
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
      const { token, ...acme } = await stack.makeOrganization();
      const project = await stack.makeProject(acme.scope);
      for (const scope of [acme.scope, project]) await stack.request('POST', '/api/roles', { token, body: { scope, name: 'r' } });
      expect(await may(acme.ownerId, project, 'Role:Query')).toBe(true);
      const projectId = project.id.split(':')[1] ?? '';
      await stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [projectId], hard });
      for (const scope of [acme.scope, project])
        expect((await stack.check(acme.ownerId, scope, 'Role:Query')).reason).toBe('INVALID_SCOPE');
      expect((await stack.request('POST', '/api/roles', { token, body: { scope: acme.scope, name: 'late' } })).status).toBe(403);
      expect((await rowsOf(acme.id, projectId)) === 0).toBe(hard);
    }
  });
});
