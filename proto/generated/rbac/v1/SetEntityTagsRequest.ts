// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface SetEntityTagsRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  'entity'?: (string);
  'entityId'?: (string);
  'tagIds'?: (string)[];
  'primaryTagId'?: (string);
  '_primaryTagId'?: "primaryTagId";
}

export interface SetEntityTagsRequest {
  'scope': (_rbac_v1_Scope | null);
  'entity': (string);
  'entityId': (string);
  'tagIds': (string)[];
  'primaryTagId'?: (string);
}
