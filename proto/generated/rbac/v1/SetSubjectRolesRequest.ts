// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface SetSubjectRolesRequest__Input {
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  'roleIds'?: (string)[];
  /**
   * also SetMemberMetadata, in the same transaction
   */
  'metadataJson'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * what identity has still to do: comes back to it as userChange.begun
   */
  'restJson'?: (string);
  '_metadataJson'?: "metadataJson";
  '_auditJson'?: "auditJson";
  '_restJson'?: "restJson";
}

export interface SetSubjectRolesRequest {
  'actor': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  'roleIds': (string)[];
  /**
   * also SetMemberMetadata, in the same transaction
   */
  'metadataJson'?: (string);
  /**
   * as in ChangeMemberRoleRequest
   */
  'auditJson'?: (string);
  /**
   * what identity has still to do: comes back to it as userChange.begun
   */
  'restJson'?: (string);
}
