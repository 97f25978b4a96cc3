// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface Check__Input {
  'subject'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'resource'?: (string);
  'action'?: (string);
  /**
   * what conditions see as resource.*; empty: {}
   */
  'targetJson'?: (string);
  'consistencyToken'?: (string);
  'noCache'?: (boolean);
  /**
   * return why: the matched permission, condition and evaluated context
   */
  'explain'?: (boolean);
  '_consistencyToken'?: "consistencyToken";
  '_explain'?: "explain";
}

export interface Check {
  'subject': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'resource': (string);
  'action': (string);
  /**
   * what conditions see as resource.*; empty: {}
   */
  'targetJson': (string);
  'consistencyToken'?: (string);
  'noCache': (boolean);
  /**
   * return why: the matched permission, condition and evaluated context
   */
  'explain'?: (boolean);
}
