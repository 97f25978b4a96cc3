// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface ChangeMemberRoleRequest__Input {
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  'roleId'?: (string);
  /**
   * also SetMemberMetadata, in the same transaction
   */
  'metadataJson'?: (string);
  /**
   * refused when the subject has another one by now
   */
  'expectedVersion'?: (string);
  /**
   * the requester's row of the audit log, written in the same transaction
   */
  'auditJson'?: (string);
  '_metadataJson'?: "metadataJson";
  '_expectedVersion'?: "expectedVersion";
  '_auditJson'?: "auditJson";
}

export interface ChangeMemberRoleRequest {
  'actor': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  'roleId': (string);
  /**
   * also SetMemberMetadata, in the same transaction
   */
  'metadataJson'?: (string);
  /**
   * refused when the subject has another one by now
   */
  'expectedVersion'?: (string);
  /**
   * the requester's row of the audit log, written in the same transaction
   */
  'auditJson'?: (string);
}
