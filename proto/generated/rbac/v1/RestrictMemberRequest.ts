// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface RestrictMemberRequest__Input {
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  /**
   * block, unblock, end-sessions, require-new-password; detach and attach are checked alone: tenancy stores them
   */
  'kind'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  '_auditJson'?: "auditJson";
}

export interface RestrictMemberRequest {
  'actor': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  /**
   * block, unblock, end-sessions, require-new-password; detach and attach are checked alone: tenancy stores them
   */
  'kind': (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
}
