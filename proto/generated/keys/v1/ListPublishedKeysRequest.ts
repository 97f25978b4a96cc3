// Original file: keys/v1/service.proto

import type { SigningScope__Input as _keys_v1_SigningScope__Input, SigningScope as _keys_v1_SigningScope } from '../../keys/v1/SigningScope.ts';

export interface ListPublishedKeysRequest__Input {
  'scope'?: (_keys_v1_SigningScope__Input | null);
}

export interface ListPublishedKeysRequest {
  'scope': (_keys_v1_SigningScope | null);
}
