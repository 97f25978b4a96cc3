// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface CheckTagsRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  'tagIds'?: (string)[];
}

export interface CheckTagsRequest {
  'scope': (_rbac_v1_Scope | null);
  'tagIds': (string)[];
}
