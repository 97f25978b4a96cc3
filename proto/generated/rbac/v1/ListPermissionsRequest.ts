// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

/**
 * An empty scope (tenant and id '') means the token's own scope.
 */
export interface ListPermissionsRequest__Input {
  'subject'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'consistencyToken'?: (string);
  '_consistencyToken'?: "consistencyToken";
}

/**
 * An empty scope (tenant and id '') means the token's own scope.
 */
export interface ListPermissionsRequest {
  'subject': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'consistencyToken'?: (string);
}
