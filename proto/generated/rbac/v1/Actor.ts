// Original file: rbac/v1/authorization.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { Support__Input as _rbac_v1_Support__Input, Support as _rbac_v1_Support } from '../../rbac/v1/Support.ts';

/**
 * An actor that acts for the subject. Applications send `type` and `id` only, and need Decision:Evaluate.
 */
export interface Actor__Input {
  /**
   * user | apiKey | app | serviceAccount; between services also supporter
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
   * between services: the project whose role it is; of a supporter where SupportAccess:Use is held
   */
  'place'?: (_rbac_v1_Scope__Input | null);
  /**
   * between services, of a supporter
   */
  'support'?: (_rbac_v1_Support__Input | null);
  '_clientId'?: "clientId";
  '_roleId'?: "roleId";
  '_place'?: "place";
  '_support'?: "support";
}

/**
 * An actor that acts for the subject. Applications send `type` and `id` only, and need Decision:Evaluate.
 */
export interface Actor {
  /**
   * user | apiKey | app | serviceAccount; between services also supporter
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
   * between services: the project whose role it is; of a supporter where SupportAccess:Use is held
   */
  'place'?: (_rbac_v1_Scope | null);
  /**
   * between services, of a supporter
   */
  'support'?: (_rbac_v1_Support | null);
}
