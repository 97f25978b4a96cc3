// Original file: rbac/v1/authorization.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

/**
 * An actor that acts for the subject. Applications send `type` and `id` only, and need Decision:Evaluate.
 */
export interface Actor__Input {
  /**
   * user | apiKey | app | serviceAccount
   */
  'type'?: (string);
  'id'?: (string);
  /**
   * between services: of an app
   */
  'clientId'?: (string);
  /**
   * between services: of a machine app
   */
  'roleId'?: (string);
  /**
   * between services: the project whose role it is
   */
  'place'?: (_rbac_v1_Scope__Input | null);
  '_clientId'?: "clientId";
  '_roleId'?: "roleId";
  '_place'?: "place";
}

/**
 * An actor that acts for the subject. Applications send `type` and `id` only, and need Decision:Evaluate.
 */
export interface Actor {
  /**
   * user | apiKey | app | serviceAccount
   */
  'type': (string);
  'id': (string);
  /**
   * between services: of an app
   */
  'clientId'?: (string);
  /**
   * between services: of a machine app
   */
  'roleId'?: (string);
  /**
   * between services: the project whose role it is
   */
  'place'?: (_rbac_v1_Scope | null);
}
