// Original file: keys/v1/service.proto

import type { SigningScope__Input as _keys_v1_SigningScope__Input, SigningScope as _keys_v1_SigningScope } from '../../keys/v1/SigningScope.ts';

export interface SignIdTokenRequest__Input {
  'scope'?: (_keys_v1_SigningScope__Input | null);
  /**
   * the JWS signing input: base64url header, dot, base64url payload
   */
  'signingInput'?: (string);
}

export interface SignIdTokenRequest {
  'scope': (_keys_v1_SigningScope | null);
  /**
   * the JWS signing input: base64url header, dot, base64url payload
   */
  'signingInput': (string);
}
