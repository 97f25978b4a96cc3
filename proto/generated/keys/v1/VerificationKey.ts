// Original file: keys/v1/service.proto

import type { SigningScope__Input as _keys_v1_SigningScope__Input, SigningScope as _keys_v1_SigningScope } from '../../keys/v1/SigningScope.ts';
import type { EllipticKey__Input as _keys_v1_EllipticKey__Input, EllipticKey as _keys_v1_EllipticKey } from '../../keys/v1/EllipticKey.ts';

export interface VerificationKey__Input {
  'kid'?: (string);
  'issuer'?: (string);
  'scope'?: (_keys_v1_SigningScope__Input | null);
  'n'?: (string);
  'e'?: (string);
  /**
   * next | active | rotated
   */
  'status'?: (string);
  /**
   * rotated: until when its tokens may be accepted
   */
  'notAfter'?: (string);
  /**
   * by ListPublishedKeys only, of projects: signs ID tokens and logout tokens, never a token that opens the API
   */
  'es256'?: (_keys_v1_EllipticKey__Input | null);
  '_notAfter'?: "notAfter";
  '_es256'?: "es256";
}

export interface VerificationKey {
  'kid': (string);
  'issuer': (string);
  'scope': (_keys_v1_SigningScope | null);
  'n': (string);
  'e': (string);
  /**
   * next | active | rotated
   */
  'status': (string);
  /**
   * rotated: until when its tokens may be accepted
   */
  'notAfter'?: (string);
  /**
   * by ListPublishedKeys only, of projects: signs ID tokens and logout tokens, never a token that opens the API
   */
  'es256'?: (_keys_v1_EllipticKey | null);
}
