// Original file: rbac/v1/service.proto

import type { ScopeRoles__Input as _rbac_v1_ScopeRoles__Input, ScopeRoles as _rbac_v1_ScopeRoles } from '../../rbac/v1/ScopeRoles.ts';

export interface ListScopeRolesResponse__Input {
  'scopes'?: (_rbac_v1_ScopeRoles__Input)[];
}

export interface ListScopeRolesResponse {
  'scopes': (_rbac_v1_ScopeRoles)[];
}
