// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface GrantTerms__Input {
  /**
   * the grant's
   */
  'scope'?: (_rbac_v1_Scope__Input | null);
  /**
   * the project's own
   */
  'product'?: (_rbac_v1_Scope__Input | null);
  /**
   * all that are grantable; otherwise these:
   */
  'allRoles'?: (boolean);
  'roleIds'?: (string)[];
}

export interface GrantTerms {
  /**
   * the grant's
   */
  'scope': (_rbac_v1_Scope | null);
  /**
   * the project's own
   */
  'product': (_rbac_v1_Scope | null);
  /**
   * all that are grantable; otherwise these:
   */
  'allRoles': (boolean);
  'roleIds': (string)[];
}
