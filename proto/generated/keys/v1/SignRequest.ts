// Original file: keys/v1/service.proto

import type { SigningScope__Input as _keys_v1_SigningScope__Input, SigningScope as _keys_v1_SigningScope } from '../../keys/v1/SigningScope.ts';

export interface SignRequest__Input {
  'scope'?: (_keys_v1_SigningScope__Input | null);
  /**
   * session | projectApp | apiKey
   */
  'type'?: (string);
  'subject'?: (string);
  'tokenId'?: (string);
  /**
   * empty: APP_URL
   */
  'audience'?: (string);
  'lifetimeSeconds'?: (number);
  /**
   * scope, scopes, isVerified, roleId, actsInGrants, org_id, org_slug, resource (a second audience), cnf
   */
  'claimsJson'?: (string);
}

export interface SignRequest {
  'scope': (_keys_v1_SigningScope | null);
  /**
   * session | projectApp | apiKey
   */
  'type': (string);
  'subject': (string);
  'tokenId': (string);
  /**
   * empty: APP_URL
   */
  'audience': (string);
  'lifetimeSeconds': (number);
  /**
   * scope, scopes, isVerified, roleId, actsInGrants, org_id, org_slug, resource (a second audience), cnf
   */
  'claimsJson': (string);
}
