// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface Subject__Input {
  /**
   * session | apiKey | projectApp
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
  '_tokenScope'?: "tokenScope";
  '_roleId'?: "roleId";
}

export interface Subject {
  /**
   * session | apiKey | projectApp
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
}
