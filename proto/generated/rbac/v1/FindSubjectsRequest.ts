// Original file: rbac/v1/authorization.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { Actor__Input as _rbac_v1_Actor__Input, Actor as _rbac_v1_Actor } from '../../rbac/v1/Actor.ts';

export interface FindSubjectsRequest__Input {
  /**
   * user | apiKey | app
   */
  'type'?: (string);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'resource'?: (string);
  'action'?: (string);
  'targetJson'?: (string);
  'consistencyToken'?: (string);
  /**
   * next_cursor of the page before; empty for the first
   */
  'cursor'?: (string);
  /**
   * at most 1,000; 0: 100
   */
  'limit'?: (number);
  'actor'?: (_rbac_v1_Actor__Input | null);
  '_scope'?: "scope";
  '_consistencyToken'?: "consistencyToken";
  '_actor'?: "actor";
}

export interface FindSubjectsRequest {
  /**
   * user | apiKey | app
   */
  'type': (string);
  'scope'?: (_rbac_v1_Scope | null);
  'resource': (string);
  'action': (string);
  'targetJson': (string);
  'consistencyToken'?: (string);
  /**
   * next_cursor of the page before; empty for the first
   */
  'cursor': (string);
  /**
   * at most 1,000; 0: 100
   */
  'limit': (number);
  'actor'?: (_rbac_v1_Actor | null);
}
