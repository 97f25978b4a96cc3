/** How each kind of entry is read from the platform, written there, and referred to. */
import type { Item, TesseraClient } from '@tessera/client';
import type { Context } from '../context.ts';
import type { Entry } from './schema.ts';

export type KindName = 'tags' | 'resources' | 'permissions' | 'groups' | 'roles' | 'apps';
export type ProjectScope = ReturnType<Context['projectScope']>;

/** A thing as it stands on the platform. `entry` has all of its fields, references by name. */
export type Standing = {
  readonly id: string;
  /** By what others refer to it, if not by its id. */
  readonly reference?: string;
  readonly isBuiltIn: boolean;
  readonly version: { readonly updatedAt: string };
  readonly entry: Entry;
};

export type Kind = {
  readonly name: KindName;
  readonly key: 'name' | 'slug';
  /** Fields that hold names of another kind, and the API's field for their ids. */
  readonly references: Readonly<Record<string, { readonly kind: KindName; readonly field: string }>>;
  /** Fields that a change may not have. */
  readonly fixed: readonly string[];
  /** What a field has where an entry does not say it. */
  readonly usual?: Entry;
  list(client: TesseraClient, scope: ProjectScope, nameOf: NameOf): AsyncIterable<Standing>;
  readonly create: keyof TesseraClient;
  readonly update: keyof TesseraClient;
  readonly remove: keyof TesseraClient;
};

/** The name of a thing by its id; the id itself when it is not of this scope. */
export type NameOf = (kind: KindName, id: string | null) => string | undefined;

const page = { limit: 100 } as const;
const tagged = { tags: { kind: 'tags', field: 'tagIds' } } as const;

function namesOf(items: readonly { readonly name: string }[] | undefined): readonly string[] {
  return (items ?? []).map(({ name }) => name).toSorted();
}

type Base = { readonly id: string; readonly updatedAt: string };
function standing({ id, updatedAt }: Base, isBuiltIn: boolean, entry: Entry): Standing {
  return { id, isBuiltIn, version: { updatedAt }, entry };
}

async function* listTags(client: TesseraClient, scope: ProjectScope): AsyncIterable<Standing> {
  for await (const tag of client.listTags({ scope, ...page })) yield standing(tag, false, { name: tag.name, color: tag.color });
}

async function* listResources(client: TesseraClient, scope: ProjectScope): AsyncIterable<Standing> {
  for await (const resource of client.listResources({ scope, relations: ['tags'], ...page })) {
    const { slug, name, description, actions, isActive, identifier, tags, isBuiltIn } = resource;
    yield standing(resource, isBuiltIn, { slug, name, description, actions, isActive, identifier, tags: namesOf(tags) });
  }
}

async function* listPermissions(client: TesseraClient, scope: ProjectScope): AsyncIterable<Standing> {
  for await (const permission of client.listScopePermissions({ scope, relations: ['resource', 'tags'], ...page })) {
    const { name, resource, action, condition, description, tags } = permission;
    yield standing(permission, false, { name, resource: resource?.slug, action, condition, description, tags: namesOf(tags) });
  }
}

async function* listGroups(client: TesseraClient, scope: ProjectScope): AsyncIterable<Standing> {
  for await (const group of client.listGroups({ scope, relations: ['permissions', 'tags'], ...page })) {
    const { name, description, metadata, permissions, tags } = group;
    yield standing(group, false, { name, description, metadata, permissions: namesOf(permissions), tags: namesOf(tags) });
  }
}

async function* listRoles(client: TesseraClient, scope: ProjectScope): AsyncIterable<Standing> {
  for await (const role of client.listRoles({ scope, relations: ['groups', 'tags'], ...page })) {
    const { name, description, metadata, isGrantable, groups, tags, isBuiltIn } = role;
    yield standing(role, isBuiltIn, { name, description, metadata, isGrantable, groups: namesOf(groups), tags: namesOf(tags) });
  }
}

/** Those that the server computes, or that references stand for. */
type NotOfApps =
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'deletedAt'
  | 'projectId'
  | 'clientId'
  | 'documentUrl'
  | 'leftOutClaims'
  | 'roleId'
  | 'signUpRoleId'
  | 'tags'
  | 'primaryTagId';
const notOfApps: readonly string[] = [
  'id',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'projectId',
  'clientId',
  'documentUrl',
  'leftOutClaims',
  'roleId',
  'signUpRoleId',
  'primaryTagId',
  'version',
];

async function* listApps(client: TesseraClient, scope: ProjectScope, nameOf: NameOf): AsyncIterable<Standing> {
  const apps: Item<'listProjectApps'>[] = [];
  for await (const app of client.listProjectApps({ scope, relations: ['tags'], ...page })) apps.push(app);
  const namesOfClients = new Map(apps.map(({ clientId, name }) => [clientId, name]));
  for (const app of apps) {
    // Its document says what it is, and the platform made it.
    if (app.documentUrl != null) continue;
    const { tags, ...fields } = app;
    const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !notOfApps.includes(name))) as Omit<typeof fields, NotOfApps>;
    const roles = { role: nameOf('roles', app.roleId), signUpRole: nameOf('roles', app.signUpRoleId) };
    const mayAct = app.mayAct.map((clientId) => namesOfClients.get(clientId) ?? clientId);
    yield { ...standing(app, false, { ...own, ...roles, mayAct, tags: namesOf(tags) }), reference: app.clientId };
  }
}

/** In the order in which they are made: each refers only to those before it. */
export const kinds: readonly Kind[] = [
  { name: 'tags', key: 'name', references: {}, fixed: [], list: listTags, create: 'createTag', update: 'updateTag', remove: 'deleteTag' },
  {
    name: 'resources',
    key: 'slug',
    references: tagged,
    fixed: [],
    list: listResources,
    create: 'createResource',
    update: 'updateResource',
    remove: 'deleteResource',
  },
  {
    name: 'permissions',
    key: 'name',
    fixed: [],
    list: listPermissions,
    references: { resource: { kind: 'resources', field: 'resourceId' }, ...tagged },
    create: 'createPermission',
    update: 'updatePermission',
    remove: 'deletePermission',
  },
  {
    name: 'groups',
    key: 'name',
    fixed: [],
    list: listGroups,
    references: { permissions: { kind: 'permissions', field: 'permissionIds' }, ...tagged },
    create: 'createGroup',
    update: 'updateGroup',
    remove: 'deleteGroup',
  },
  {
    name: 'roles',
    key: 'name',
    fixed: [],
    usual: { isGrantable: true },
    list: listRoles,
    references: { groups: { kind: 'groups', field: 'groupIds' }, ...tagged },
    create: 'createRole',
    update: 'updateRole',
    remove: 'deleteRole',
  },
  {
    name: 'apps',
    key: 'name',
    fixed: ['type'],
    list: listApps,
    references: {
      role: { kind: 'roles', field: 'roleId' },
      signUpRole: { kind: 'roles', field: 'signUpRoleId' },
      mayAct: { kind: 'apps', field: 'mayAct' },
      ...tagged,
    },
    create: 'createProjectApp',
    update: 'updateProjectApp',
    remove: 'deleteProjectApp',
  },
] as const;
