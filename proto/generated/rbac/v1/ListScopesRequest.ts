// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface ListScopesRequest__Input {
  'scopes'?: (_rbac_v1_Scope__Input)[];
}

export interface ListScopesRequest {
  'scopes': (_rbac_v1_Scope)[];
}
