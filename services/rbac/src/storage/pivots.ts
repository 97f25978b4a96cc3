import { query } from './query.ts';

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
};

export const resourcePivots = {
  project: {
    rows: query.selectFrom('project_resources').select(['projectId as levelId', 'resourceId as entityId']),
    add: (projectId: string, resourceId: string, { slug }: { readonly slug: string }) =>
      query.insertInto('project_resources').values({ projectId, resourceId, slug }),
  },
};
