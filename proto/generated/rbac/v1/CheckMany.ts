// Original file: rbac/v1/authorization.proto

import type { Check__Input as _rbac_v1_Check__Input, Check as _rbac_v1_Check } from '../../rbac/v1/Check.ts';

export interface CheckMany__Input {
  'checks'?: (_rbac_v1_Check__Input)[];
  /**
   * explain all of them
   */
  'explain'?: (boolean);
  /**
   * of the end user whom checks are about that give neither a token nor a subject
   */
  'userToken'?: (string);
  '_userToken'?: "userToken";
}

export interface CheckMany {
  'checks': (_rbac_v1_Check)[];
  /**
   * explain all of them
   */
  'explain': (boolean);
  /**
   * of the end user whom checks are about that give neither a token nor a subject
   */
  'userToken'?: (string);
}
