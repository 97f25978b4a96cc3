// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface FindResourceServerRequest__Input {
  /**
   * of a project
   */
  'scope'?: (_rbac_v1_Scope__Input | null);
  /**
   * as the client wrote it
   */
  'identifier'?: (string);
}

export interface FindResourceServerRequest {
  /**
   * of a project
   */
  'scope': (_rbac_v1_Scope | null);
  /**
   * as the client wrote it
   */
  'identifier': (string);
}
