// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface SetMemberMetadataRequest__Input {
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  'metadataJson'?: (string);
  /**
   * refused when the subject has another one by now
   */
  'expectedVersion'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * as in SetSubjectRolesRequest
   */
  'restJson'?: (string);
  '_expectedVersion'?: "expectedVersion";
  '_auditJson'?: "auditJson";
  '_restJson'?: "restJson";
}

export interface SetMemberMetadataRequest {
  'actor': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  'metadataJson': (string);
  /**
   * refused when the subject has another one by now
   */
  'expectedVersion'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * as in SetSubjectRolesRequest
   */
  'restJson'?: (string);
}
