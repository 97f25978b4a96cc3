// Original file: keys/v1/service.proto

import type { VerificationKey__Input as _keys_v1_VerificationKey__Input, VerificationKey as _keys_v1_VerificationKey } from '../../keys/v1/VerificationKey.ts';

export interface VerificationKeys__Input {
  'keys'?: (_keys_v1_VerificationKey__Input)[];
}

export interface VerificationKeys {
  'keys': (_keys_v1_VerificationKey)[];
}
