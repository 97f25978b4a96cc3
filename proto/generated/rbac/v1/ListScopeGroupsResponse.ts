// Original file: rbac/v1/service.proto

import type { ScopeGroups__Input as _rbac_v1_ScopeGroups__Input, ScopeGroups as _rbac_v1_ScopeGroups } from '../../rbac/v1/ScopeGroups.ts';

export interface ListScopeGroupsResponse__Input {
  'scopes'?: (_rbac_v1_ScopeGroups__Input)[];
}

export interface ListScopeGroupsResponse {
  'scopes': (_rbac_v1_ScopeGroups)[];
}
