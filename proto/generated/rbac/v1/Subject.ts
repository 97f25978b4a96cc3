// Original file: rbac/v1/authorization.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { Delegation__Input as _rbac_v1_Delegation__Input, Delegation as _rbac_v1_Delegation } from '../../rbac/v1/Delegation.ts';

/**
 * Applications give `type` user and `user_id`, `type` apiKey or app and `id`, or `type` self, and no more. The other fields say what a verified token says, between services.
 */
export interface Subject__Input {
  /**
   * user | apiKey | app | self; between services session | apiKey | projectApp
   */
  'type'?: (string);
  'userId'?: (string);
  'tokenId'?: (string);
  /**
   * of apiKey and projectApp tokens, and of session tokens that have one
   */
  'tokenScope'?: (_rbac_v1_Scope__Input | null);
  /**
   * projectApp only: the token can do no more than this
   */
  'scopes'?: (string)[];
  /**
   * project API keys: the only role that counts
   */
  'roleId'?: (string);
  /**
   * sessions: aal1 or aal2, for the policy of an organization; without it the policy is not asked
   */
  'acr'?: (string);
  /**
   * sessions: the last sign-in or confirmation, in seconds
   */
  'authTime'?: (number);
  /**
   * of an API key or app that an application names
   */
  'id'?: (string);
  /**
   * between services: a machine app that may name the scopes of organizations that use its project
   */
  'actsInGrants'?: (boolean);
  /**
   * between services, of projectApp tokens: who acts for the person
   */
  'delegation'?: (_rbac_v1_Delegation__Input | null);
  /**
   * sessions: the organization's identity provider by which it came
   */
  'connection'?: (string);
  /**
   * sessions: the only organization that it opens; empty for none
   */
  'within'?: (string);
  /**
   * sessions: the organization whose provider has asked for a second factor
   */
  'secondFactorIn'?: (string);
  '_tokenScope'?: "tokenScope";
  '_roleId'?: "roleId";
  '_acr'?: "acr";
  '_authTime'?: "authTime";
  '_id'?: "id";
  '_actsInGrants'?: "actsInGrants";
  '_connection'?: "connection";
  '_within'?: "within";
  '_secondFactorIn'?: "secondFactorIn";
  '_delegation'?: "delegation";
}

/**
 * Applications give `type` user and `user_id`, `type` apiKey or app and `id`, or `type` self, and no more. The other fields say what a verified token says, between services.
 */
export interface Subject {
  /**
   * user | apiKey | app | self; between services session | apiKey | projectApp
   */
  'type': (string);
  'userId': (string);
  'tokenId': (string);
  /**
   * of apiKey and projectApp tokens, and of session tokens that have one
   */
  'tokenScope'?: (_rbac_v1_Scope | null);
  /**
   * projectApp only: the token can do no more than this
   */
  'scopes': (string)[];
  /**
   * project API keys: the only role that counts
   */
  'roleId'?: (string);
  /**
   * sessions: aal1 or aal2, for the policy of an organization; without it the policy is not asked
   */
  'acr'?: (string);
  /**
   * sessions: the last sign-in or confirmation, in seconds
   */
  'authTime'?: (number);
  /**
   * of an API key or app that an application names
   */
  'id'?: (string);
  /**
   * between services: a machine app that may name the scopes of organizations that use its project
   */
  'actsInGrants'?: (boolean);
  /**
   * between services, of projectApp tokens: who acts for the person
   */
  'delegation'?: (_rbac_v1_Delegation | null);
  /**
   * sessions: the organization's identity provider by which it came
   */
  'connection'?: (string);
  /**
   * sessions: the only organization that it opens; empty for none
   */
  'within'?: (string);
  /**
   * sessions: the organization whose provider has asked for a second factor
   */
  'secondFactorIn'?: (string);
}
