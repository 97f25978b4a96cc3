/** What a tenant has, by the file that it goes to. */
import type { TesseraClient } from '@tessera/client';
import type { Patience } from '../patience.ts';
import { byCursor, byPage, type Ended, oldestFirst, type Thing } from './pages.ts';

export type OrganizationScope = { readonly tenant: 'organization'; readonly id: string };
export type AccountScope = { readonly tenant: 'account'; readonly id: string };
export type ProjectScope = { readonly tenant: 'accountProject' | 'organizationProject'; readonly id: string };

export type List = { readonly name: string; read(): AsyncGenerator<Thing, Ended | undefined> };

export function organizationLists(client: TesseraClient, scope: OrganizationScope, patience: Patience): readonly List[] {
  return [
    { name: 'members', read: () => membersOf(client, scope, patience) },
    { name: 'invitations', read: () => byPage((page) => client.listOrganizationInvitations({ scope, page, ...oldestFirst }), patience) },
    ...modelLists(client, scope, patience),
    usersOf(client, scope, patience),
    webhooksOf(client, scope, patience),
    { name: 'domains', read: () => byPage((page) => client.listDomains({ scope, page, ...oldestFirst }), patience) },
  ];
}

/** Invitations have a file of their own. */
async function* membersOf(client: TesseraClient, scope: OrganizationScope, patience: Patience): AsyncGenerator<Thing, undefined> {
  for await (const member of byPage((page) => client.listOrganizationMembers({ scope, page, ...oldestFirst }), patience))
    if (member['type'] === 'member') yield member;
  return undefined;
}

function usersOf(client: TesseraClient, scope: OrganizationScope | ProjectScope, patience: Patience): List {
  const relations = ['roles', 'tags'] as ('roles' | 'tags')[];
  return { name: 'users', read: () => byPage((page) => client.listUsers({ scope, page, relations, ...oldestFirst }), patience) };
}

/** Where they go and what they are told of; the API shows their secrets once, and not here. */
function webhooksOf(client: TesseraClient, scope: OrganizationScope | ProjectScope, patience: Patience): List {
  return { name: 'webhooks', read: () => byPage((page) => client.listWebhooks({ scope, page, ...oldestFirst }), patience) };
}

/** Roles, groups, permissions and tags, of an organization or a project. */
function modelLists(client: TesseraClient, scope: OrganizationScope | ProjectScope, patience: Patience): readonly List[] {
  const read = { scope, ...oldestFirst };
  return [
    { name: 'tags', read: () => byPage((page) => client.listTags({ ...read, page }), patience) },
    {
      name: 'permissions',
      read: () => byPage((page) => client.listScopePermissions({ ...read, page, relations: ['resource', 'tags'] }), patience),
    },
    { name: 'groups', read: () => byPage((page) => client.listGroups({ ...read, page, relations: ['permissions', 'tags'] }), patience) },
    { name: 'roles', read: () => byPage((page) => client.listRoles({ ...read, page, relations: ['groups', 'tags'] }), patience) },
  ];
}

export function projectLists(client: TesseraClient, scope: ProjectScope, patience: Patience): readonly List[] {
  const read = { scope, ...oldestFirst };
  return [
    usersOf(client, scope, patience),
    { name: 'resources', read: () => byPage((page) => client.listResources({ ...read, page, relations: ['tags'] }), patience) },
    ...modelLists(client, scope, patience),
    { name: 'apps', read: () => byPage((page) => client.listProjectApps({ ...read, page, relations: ['tags'] }), patience) },
    { name: 'keys', read: () => byPage((page) => client.listApiKeys({ ...read, page, relations: ['role'] }), patience) },
    webhooksOf(client, scope, patience),
  ];
}

export function projectsOf(client: TesseraClient, scope: OrganizationScope | AccountScope, patience: Patience): List {
  return { name: 'projects', read: () => byPage((page) => client.listProjects({ scope, page, ...oldestFirst }), patience) };
}

export function auditOf(client: TesseraClient, scope: OrganizationScope | AccountScope, patience: Patience): List {
  return {
    name: 'audit',
    read: () => byCursor((cursor) => client.listAuditEvents({ scope, limit: 100, ...(cursor === undefined ? {} : { cursor }) }), patience),
  };
}
