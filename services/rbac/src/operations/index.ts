// Written by `npm run generate`: every file of an operations/ folder that declares an operation.
import { findActions } from './decisions/find-actions.ts';
import { findResources } from './decisions/find-resources.ts';
import { findSubjects } from './decisions/find-subjects.ts';
import { getDecisionCounts } from './decisions/get-decision-counts.ts';
import { isAuthorized } from './decisions/is-authorized.ts';
import { isAuthorizedMany } from './decisions/is-authorized-many.ts';
import { listOwnPermissions } from './decisions/list-permissions.ts';
import { tryCondition } from './decisions/try-condition.ts';
import { listDirectoryGroups } from './directory/list-directory-groups.ts';
import { listDirectoryRoles } from './directory/list-directory-roles.ts';
import { previewDirectoryGroup } from './directory/preview-directory-group.ts';
import { updateDirectoryGroup } from './directory/update-directory-group.ts';
import { createGroup } from './groups/create-group.ts';
import { deleteGroup } from './groups/delete-group.ts';
import { listGroups } from './groups/list-groups.ts';
import { updateGroup } from './groups/update-group.ts';
import { createPermission } from './permissions/create-permission.ts';
import { deletePermission } from './permissions/delete-permission.ts';
import { listPermissions } from './permissions/list-permissions.ts';
import { updatePermission } from './permissions/update-permission.ts';
import { createResource } from './resources/create-resource.ts';
import { deleteResource } from './resources/delete-resource.ts';
import { listResources } from './resources/list-resources.ts';
import { updateResource } from './resources/update-resource.ts';
import { createRole } from './roles/create-role.ts';
import { deleteRole } from './roles/delete-role.ts';
import { listRoles } from './roles/list-roles.ts';
import { updateRole } from './roles/update-role.ts';
import { createTag } from './tags/create-tag.ts';
import { deleteTag } from './tags/delete-tag.ts';
import { listTags } from './tags/list-tags.ts';
import { updateTag } from './tags/update-tag.ts';

/** Everything that rbac does for clients. */
export const operations = [
  findActions,
  findResources,
  findSubjects,
  getDecisionCounts,
  isAuthorized,
  isAuthorizedMany,
  listOwnPermissions,
  tryCondition,
  listDirectoryGroups,
  listDirectoryRoles,
  previewDirectoryGroup,
  updateDirectoryGroup,
  createGroup,
  deleteGroup,
  listGroups,
  updateGroup,
  createPermission,
  deletePermission,
  listPermissions,
  updatePermission,
  createResource,
  deleteResource,
  listResources,
  updateResource,
  createRole,
  deleteRole,
  listRoles,
  updateRole,
  createTag,
  deleteTag,
  listTags,
  updateTag,
];
