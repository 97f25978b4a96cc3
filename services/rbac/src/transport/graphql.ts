import { rowScope } from '@tessera/kernel/operation';
import { type FieldResolver, readSdl, relationField, type Subgraph } from '@tessera/server/graphql';
import type { RbacDeps } from '../deps.ts';
import {
  groupsOfOrganization,
  groupsOfProject,
  memberRoleOfUsers,
  metadataOfMembers,
  referTo,
  referToProjects,
  resourcesOfProject,
  rolesOfOrganization,
  rolesOfProject,
  rolesOfUsers,
  tagsOfProject,
  tagsOfUsers,
} from '../operations/federation.ts';
import { operations } from '../operations/index.ts';
import {
  groupsOfRoles,
  permissionsOfGroups,
  permissionsOfResources,
  resourceOfPermissions,
  tagsOf,
  usersOfGroups,
  usersOfRoles,
} from '../operations/relations.ts';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from '../storage/entity-tables.ts';

/** A user read outside any scope (oneself) has no membership there: null instead of an error. */
function whereScoped(resolve: FieldResolver<RbacDeps>): FieldResolver<RbacDeps> {
  return (row, args, context) => (rowScope(row) === undefined ? null : resolve(row, args, context));
}

/**
 * Resolvers of the subgraph: relations, and references from other subgraphs. Other fields are
 * properties of their row.
 */
export const subgraph: Subgraph<RbacDeps> = {
  sdl: readSdl(new URL('../../', import.meta.url)),
  operations,
  types: {
    Role: {
      users: relationField('Role.users', usersOfRoles),
      groups: relationField('Role.groups', groupsOfRoles),
      tags: relationField('Role.tags', tagsOf('role')),
    },
    Group: {
      users: relationField('Group.users', usersOfGroups),
      permissions: relationField('Group.permissions', permissionsOfGroups),
      tags: relationField('Group.tags', tagsOf('group')),
    },
    Permission: {
      resource: relationField('Permission.resource', resourceOfPermissions),
      tags: relationField('Permission.tags', tagsOf('permission')),
    },
    Resource: {
      permissions: relationField('Resource.permissions', permissionsOfResources),
      tags: relationField('Resource.tags', tagsOf('resource')),
    },
    User: {
      roles: relationField('User.roles', rolesOfUsers),
      memberRole: whereScoped(relationField('User.memberRole', memberRoleOfUsers)),
      memberMetadata: whereScoped(relationField('User.memberMetadata', metadataOfMembers)),
      tags: relationField('User.tags', tagsOfUsers),
    },
    Organization: {
      roles: relationField('Organization.roles', rolesOfOrganization),
      groups: relationField('Organization.groups', groupsOfOrganization),
    },
    Project: {
      roles: relationField('Project.roles', rolesOfProject),
      groups: relationField('Project.groups', groupsOfProject),
      resources: relationField('Project.resources', resourcesOfProject),
      tags: relationField('Project.tags', tagsOfProject),
    },
  },
  entities: {
    Role: referTo(roleTable),
    Group: referTo(groupTable),
    Permission: referTo(permissionTable),
    Resource: referTo(resourceTable),
    Tag: referTo(tagTable),
    Project: referToProjects,
  },
};
