// Original file: keys/v1/service.proto

import type { SigningScope__Input as _keys_v1_SigningScope__Input, SigningScope as _keys_v1_SigningScope } from '../../keys/v1/SigningScope.ts';

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
  '_notAfter'?: "notAfter";
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
}
