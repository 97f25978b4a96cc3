// Original file: rbac/v1/authorization.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { Actor__Input as _rbac_v1_Actor__Input, Actor as _rbac_v1_Actor } from '../../rbac/v1/Actor.ts';

export interface Check__Input {
  'subject'?: (_rbac_v1_Subject__Input | null);
  /**
   * absent, or with tenant and id '': where the user's token acts, else the scope of the caller's token
   */
  'scope'?: (_rbac_v1_Scope__Input | null);
  'resource'?: (string);
  'action'?: (string);
  /**
   * what conditions see as resource.*; empty: {}
   */
  'targetJson'?: (string);
  /**
   * decide from no older state than this (x-consistency-token of a write)
   */
  'consistencyToken'?: (string);
  /**
   * decide from the database; costs as much of the limit as ten checks
   */
  'noCache'?: (boolean);
  /**
   * return why: the matched permission, condition and evaluated context
   */
  'explain'?: (boolean);
  /**
   * an end user's access token; one that is not valid, or of a service account that may not be used from the caller's address: NOT_AUTHENTICATED
   */
  'userToken'?: (string);
  /**
   * between services: where the subject's request came from; conditions read it as context.ipAddress
   */
  'ipAddress'?: (string);
  /**
   * who acts for the subject: the answer is what both may do
   */
  'actor'?: (_rbac_v1_Actor__Input | null);
  '_subject'?: "subject";
  '_scope'?: "scope";
  '_consistencyToken'?: "consistencyToken";
  '_explain'?: "explain";
  '_userToken'?: "userToken";
  '_ipAddress'?: "ipAddress";
  '_actor'?: "actor";
}

export interface Check {
  'subject'?: (_rbac_v1_Subject | null);
  /**
   * absent, or with tenant and id '': where the user's token acts, else the scope of the caller's token
   */
  'scope'?: (_rbac_v1_Scope | null);
  'resource': (string);
  'action': (string);
  /**
   * what conditions see as resource.*; empty: {}
   */
  'targetJson': (string);
  /**
   * decide from no older state than this (x-consistency-token of a write)
   */
  'consistencyToken'?: (string);
  /**
   * decide from the database; costs as much of the limit as ten checks
   */
  'noCache': (boolean);
  /**
   * return why: the matched permission, condition and evaluated context
   */
  'explain'?: (boolean);
  /**
   * an end user's access token; one that is not valid, or of a service account that may not be used from the caller's address: NOT_AUTHENTICATED
   */
  'userToken'?: (string);
  /**
   * between services: where the subject's request came from; conditions read it as context.ipAddress
   */
  'ipAddress'?: (string);
  /**
   * who acts for the subject: the answer is what both may do
   */
  'actor'?: (_rbac_v1_Actor | null);
}
