// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface ListTaggedEntitiesRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  'entity'?: (string);
  /**
   * an entity must carry all of them
   */
  'tagIds'?: (string)[];
}

export interface ListTaggedEntitiesRequest {
  'scope': (_rbac_v1_Scope | null);
  'entity': (string);
  /**
   * an entity must carry all of them
   */
  'tagIds': (string)[];
}
