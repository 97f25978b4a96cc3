// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface EndMembershipRequest__Input {
  /**
   * absent: the user leaves
   */
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * who exists for this scope only is deleted for good
   */
  'hard'?: (boolean);
  '_actor'?: "actor";
  '_auditJson'?: "auditJson";
  '_hard'?: "hard";
}

export interface EndMembershipRequest {
  /**
   * absent: the user leaves
   */
  'actor'?: (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * who exists for this scope only is deleted for good
   */
  'hard'?: (boolean);
}
