// Original file: rbac/v1/authorization.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { Actor__Input as _rbac_v1_Actor__Input, Actor as _rbac_v1_Actor } from '../../rbac/v1/Actor.ts';

export interface FindResourcesRequest__Input {
  'subject'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'action'?: (string);
  'targetJson'?: (string);
  'consistencyToken'?: (string);
  'userToken'?: (string);
  'cursor'?: (string);
  /**
   * at most 1,000; 0: 100
   */
  'limit'?: (number);
  'actor'?: (_rbac_v1_Actor__Input | null);
  '_subject'?: "subject";
  '_scope'?: "scope";
  '_consistencyToken'?: "consistencyToken";
  '_userToken'?: "userToken";
  '_actor'?: "actor";
}

export interface FindResourcesRequest {
  'subject'?: (_rbac_v1_Subject | null);
  'scope'?: (_rbac_v1_Scope | null);
  'action': (string);
  'targetJson': (string);
  'consistencyToken'?: (string);
  'userToken'?: (string);
  'cursor': (string);
  /**
   * at most 1,000; 0: 100
   */
  'limit': (number);
  'actor'?: (_rbac_v1_Actor | null);
}
