// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface DescribeActionsRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  /**
   * 'resource:action'
   */
  'actions'?: (string)[];
}

export interface DescribeActionsRequest {
  'scope': (_rbac_v1_Scope | null);
  /**
   * 'resource:action'
   */
  'actions': (string)[];
}
