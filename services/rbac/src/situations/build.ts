import assert from 'node:assert/strict';
import { expect } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId, builtInRoleId } from '@tessera/proto/built-in-ids';
import { type OrganizationRole, organizationRoles } from '../domain/catalogue.ts';
import type { TestStack } from '../testing/service.ts';
import { withIds } from './model.ts';
import type { World } from './world.ts';

export type Built = {
  readonly idOf: (name: string) => string;
  readonly scopeOf: (place: string) => Scope;
  readonly roleIdOf: (name: string) => string;
};

/**
 * Makes a world in a running service: tenants and people by events, everything else by the Owner
 * through REST.
 */
export async function buildWorld(stack: TestStack, world: World): Promise<Built> {
  const ids = new Map<string, string>();
  const idOf = (name: string): string => {
    const known = ids.get(name) ?? newId();
    ids.set(name, known);
    return known;
  };
  const scopes = new Map<string, Scope>();
  const scopeOf = (place: string): Scope => scopes.get(place) ?? { tenant: 'organization', id: idOf(`place ${place}`) };
  const made = {
    resources: new Map<string, string>(),
    permissions: new Map<string, string>(),
    groups: new Map<string, string>(),
    roles: new Map<string, string>(),
  };
  const rootOf = (place: string): string => world.projects[place]?.in ?? place;
  const ownerOf = (place: string): string => {
    const root = rootOf(place);
    return idOf(world.accounts[root]?.owner ?? world.organizations[root]?.owner ?? '');
  };
  const as = (place: string): string => stack.token({ userId: ownerOf(place) });
  const post = async (path: string, place: string, body: object): Promise<string> => {
    const answer = await stack.request('POST', path, { token: as(place), body: { scope: scopeOf(place), ...body } });
    expect([`${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.json)}`, answer.status]).toStrictEqual([
      `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.json)}`,
      201,
    ]);
    return `${answer.data.id}`;
  };
  const need = (map: ReadonlyMap<string, string>, name: string): string => {
    const id = map.get(name);
    assert.ok(id, `${name} is not in the world`);
    return id;
  };

  for (const [name, { owner, type }] of Object.entries(world.accounts)) {
    scopes.set(name, { tenant: 'account', id: idOf(`place ${name}`) });
    await stack.tell('account.created', { accountId: scopeOf(name).id, type, ownerId: idOf(owner), accounts: [] });
  }
  for (const [name, { owner }] of Object.entries(world.organizations)) {
    scopes.set(name, { tenant: 'organization', id: idOf(`place ${name}`) });
    await stack.tell('organization.created', { organizationId: scopeOf(name).id, ownerId: idOf(owner) });
  }
  for (const [name, { in: parent }] of Object.entries(world.projects)) {
    const tenant = scopeOf(parent).tenant === 'account' ? 'accountProject' : 'organizationProject';
    scopes.set(name, { tenant, id: `${scopeOf(parent).id}:${idOf(`place ${name}`)}` });
    await stack.tell('project.created', { scope: scopeOf(name), createdBy: ownerOf(name), tagIds: [], primaryTagId: null });
  }
  for (const [key, value] of Object.entries(world.resources)) {
    const [place = '', slug = ''] = key.split('/');
    const body = 'actions' in value ? value : { actions: value };
    made.resources.set(key, await post('/api/resources', place, { name: slug, slug, ...body }));
  }
  for (const [name, { in: place, allows, when }] of Object.entries(world.permissions)) {
    const [slug = '', action = ''] = allows.split(':');
    const resourceId = made.resources.get(`${place}/${slug}`) ?? builtInResourceId(slug);
    made.permissions.set(
      name,
      await post('/api/permissions', place, { name, action, resourceId, ...(when === undefined ? {} : { condition: when }) }),
    );
  }
  for (const [name, { in: place, has, metadata = {} }] of Object.entries(world.groups)) {
    const body = {
      name,
      metadata: withIds(metadata, { idOf }),
      permissionIds: has.map((permission) => need(made.permissions, permission)),
    };
    made.groups.set(name, await post('/api/groups', place, body));
  }
  for (const [name, { in: place, has, heldBy = [], metadata = {} }] of Object.entries(world.roles)) {
    const id = await post('/api/roles', place, { name, metadata, groupIds: has.map((group) => need(made.groups, group)) });
    made.roles.set(name, id);
    for (const who of heldBy) await stack.join(scopeOf(place), [id], idOf(who));
  }
  for (const [place, { members = {} }] of Object.entries(world.organizations)) {
    for (const [who, role] of Object.entries(members)) {
      const isBuiltIn = organizationRoles.includes(role as OrganizationRole);
      const roleId = isBuiltIn ? builtInRoleId('organization', scopeOf(place).id, role) : need(made.roles, role);
      await stack.tell('member.added', { organizationId: scopeOf(place).id, userId: idOf(who), roleId });
    }
  }
  for (const [who, metadata] of Object.entries(world.metadata ?? {})) {
    stack.peers.people.set(idOf(who), { name: who, metadata: withIds(metadata, { idOf }) as object });
  }
  for (const kind of ['permissions', 'groups', 'roles'] as const) {
    for (const [name, entity] of Object.entries(world[kind])) {
      if (!entity.deleted) continue;
      const { tenant, id } = scopeOf(entity.in);
      const path = `/api/${kind}/${need(made[kind], name)}?scopeId=${id}&tenant=${tenant}`;
      expect([path, (await stack.request('DELETE', path, { token: as(entity.in) })).status]).toStrictEqual([path, 200]);
    }
  }
  for (const [name, { deleted }] of Object.entries(world.projects)) {
    if (deleted) await stack.tell('project.deleted', { scope: scopeOf(name), hard: false });
  }
  for (const [name, { deleted }] of Object.entries(world.organizations)) {
    if (deleted) await stack.tell('organization.deleted', { organizationId: scopeOf(name).id, projectIds: [], hard: false });
  }

  return {
    idOf,
    scopeOf,
    roleIdOf: (name) => {
      const [place = '', role] = name.split('/');
      if (role === undefined) return need(made.roles, name);
      const { tenant, id } = scopeOf(place);
      return builtInRoleId(tenant, id, role);
    },
  };
}
