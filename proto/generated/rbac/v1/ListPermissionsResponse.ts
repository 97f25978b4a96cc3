// Original file: rbac/v1/authorization.proto

import type { PermissionGrant__Input as _rbac_v1_PermissionGrant__Input, PermissionGrant as _rbac_v1_PermissionGrant } from '../../rbac/v1/PermissionGrant.ts';

export interface ListPermissionsResponse__Input {
  'permissions'?: (_rbac_v1_PermissionGrant__Input)[];
  'consistencyToken'?: (string);
}

export interface ListPermissionsResponse {
  'permissions': (_rbac_v1_PermissionGrant)[];
  'consistencyToken': (string);
}
