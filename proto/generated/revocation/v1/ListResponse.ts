// Original file: revocation/v1/service.proto

import type { Revocation__Input as _revocation_v1_Revocation__Input, Revocation as _revocation_v1_Revocation } from '../../revocation/v1/Revocation.ts';

export interface ListResponse__Input {
  'revocations'?: (_revocation_v1_Revocation__Input)[];
  'cursor'?: (string);
}

export interface ListResponse {
  'revocations': (_revocation_v1_Revocation)[];
  'cursor': (string);
}
