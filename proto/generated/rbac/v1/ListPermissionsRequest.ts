// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

/**
 * Scopes may be empty (tenant and id ''): then the token's own scope is meant.
 */
export interface ListPermissionsRequest__Input {
  'subject'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'consistencyToken'?: (string);
  '_consistencyToken'?: "consistencyToken";
}

/**
 * Scopes may be empty (tenant and id ''): then the token's own scope is meant.
 */
export interface ListPermissionsRequest {
  'subject': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'consistencyToken'?: (string);
}
