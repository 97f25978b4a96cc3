import { sql } from 'kysely';
import { query } from './query.ts';

/** What a customer cannot have of its own: the operations refuse it before. */
const nothing = query.selectFrom('grant_roles').select(['placeId as levelId', 'roleId as entityId']).where(sql<boolean>`false`);
function refuse(): never {
  throw new Error('permissions and resources are the product’s');
}

/** The roles of a product that its customers may give, each with the place of the grant. */
function grantedRoles() {
  return query
    .selectFrom('project_grants as g')
    .innerJoin('project_roles as pr', 'pr.projectId', 'g.projectId')
    .innerJoin('roles as r', 'r.id', 'pr.roleId')
    .where('r.deletedAt', 'is', null)
    .where(sql<boolean>`case when g.role_ids is null then r.is_grantable else r.id = any(g.role_ids) end`);
}

/** The groups that the granted roles have. */
function grantedGroups() {
  return grantedRoles()
    .innerJoin('role_groups as rg', 'rg.roleId', 'r.id')
    .innerJoin('project_groups as pg', (join) => join.onRef('pg.groupId', '=', 'rg.groupId').onRef('pg.projectId', '=', 'g.projectId'));
}

/**
 * The rows of one level of scopes, and how one is added. An entity is reached through its pivots
 * only.
 */
export const rolePivots = {
  account: {
    rows: query.selectFrom('account_roles').select(['accountId as levelId', 'roleId as entityId']),
    add: (accountId: string, roleId: string) => query.insertInto('account_roles').values({ accountId, roleId }),
  },
  organization: {
    rows: query.selectFrom('organization_roles').select(['organizationId as levelId', 'roleId as entityId']),
    add: (organizationId: string, roleId: string) => query.insertInto('organization_roles').values({ organizationId, roleId }),
  },
  project: {
    rows: query.selectFrom('project_roles').select(['projectId as levelId', 'roleId as entityId']),
    add: (projectId: string, roleId: string) => query.insertInto('project_roles').values({ projectId, roleId }),
  },
  grant: {
    rows: grantedRoles()
      .select(['g.placeId as levelId', 'r.id as entityId'])
      .unionAll(query.selectFrom('grant_roles').select(['placeId as levelId', 'roleId as entityId'])),
    own: query.selectFrom('grant_roles').select(['placeId as levelId', 'roleId as entityId']),
    add: (placeId: string, roleId: string) => query.insertInto('grant_roles').values({ placeId, roleId }),
  },
};

export const groupPivots = {
  organization: {
    rows: query.selectFrom('organization_groups').select(['organizationId as levelId', 'groupId as entityId']),
    add: (organizationId: string, groupId: string) => query.insertInto('organization_groups').values({ organizationId, groupId }),
  },
  project: {
    rows: query.selectFrom('project_groups').select(['projectId as levelId', 'groupId as entityId']),
    add: (projectId: string, groupId: string) => query.insertInto('project_groups').values({ projectId, groupId }),
  },
  grant: {
    rows: grantedGroups()
      .select(['g.placeId as levelId', 'pg.groupId as entityId'])
      .distinct()
      .unionAll(query.selectFrom('grant_groups').select(['placeId as levelId', 'groupId as entityId'])),
    own: query.selectFrom('grant_groups').select(['placeId as levelId', 'groupId as entityId']),
    add: (placeId: string, groupId: string) => query.insertInto('grant_groups').values({ placeId, groupId }),
  },
};

export const permissionPivots = {
  organization: {
    rows: query.selectFrom('organization_permissions').select(['organizationId as levelId', 'permissionId as entityId']),
    add: (organizationId: string, permissionId: string) =>
      query.insertInto('organization_permissions').values({ organizationId, permissionId }),
  },
  project: {
    rows: query.selectFrom('project_permissions').select(['projectId as levelId', 'permissionId as entityId']),
    add: (projectId: string, permissionId: string) => query.insertInto('project_permissions').values({ projectId, permissionId }),
  },
  grant: {
    rows: grantedGroups()
      .innerJoin('group_permissions as gp', 'gp.groupId', 'pg.groupId')
      .innerJoin('project_permissions as pp', (join) =>
        join.onRef('pp.permissionId', '=', 'gp.permissionId').onRef('pp.projectId', '=', 'g.projectId'),
      )
      .select(['g.placeId as levelId', 'pp.permissionId as entityId'])
      .distinct(),
    own: nothing,
    add: refuse,
  },
};

export const tagPivots = {
  account: {
    rows: query.selectFrom('account_tags').select(['accountId as levelId', 'tagId as entityId']),
    add: (accountId: string, tagId: string) => query.insertInto('account_tags').values({ accountId, tagId }),
  },
  organization: {
    rows: query.selectFrom('organization_tags').select(['organizationId as levelId', 'tagId as entityId']),
    add: (organizationId: string, tagId: string) => query.insertInto('organization_tags').values({ organizationId, tagId }),
  },
  project: {
    rows: query.selectFrom('project_tags').select(['projectId as levelId', 'tagId as entityId']),
    add: (projectId: string, tagId: string) => query.insertInto('project_tags').values({ projectId, tagId }),
  },
  grant: {
    rows: query.selectFrom('grant_tags').select(['placeId as levelId', 'tagId as entityId']),
    add: (placeId: string, tagId: string) => query.insertInto('grant_tags').values({ placeId, tagId }),
  },
};

export const resourcePivots = {
  project: {
    rows: query.selectFrom('project_resources').select(['projectId as levelId', 'resourceId as entityId']),
    add: (projectId: string, resourceId: string, { slug }: { readonly slug: string }) =>
      query.insertInto('project_resources').values({ projectId, resourceId, slug }),
  },
  grant: {
    rows: query
      .selectFrom('project_grants as g')
      .innerJoin('project_resources as pr', 'pr.projectId', 'g.projectId')
      .select(['g.placeId as levelId', 'pr.resourceId as entityId']),
    own: nothing,
    add: refuse,
  },
};
