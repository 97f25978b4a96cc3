// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface RemovePersonRequest__Input {
  'scope'?: (_tenancy_v1_Scope__Input | null);
  'userId'?: (string);
  'hard'?: (boolean);
  /**
   * the requester's row of the audit log, written in the same transaction
   */
  'auditJson'?: (string);
  '_auditJson'?: "auditJson";
}

export interface RemovePersonRequest {
  'scope': (_tenancy_v1_Scope | null);
  'userId': (string);
  'hard': (boolean);
  /**
   * the requester's row of the audit log, written in the same transaction
   */
  'auditJson'?: (string);
}
