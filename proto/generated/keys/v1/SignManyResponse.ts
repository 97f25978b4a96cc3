// Original file: keys/v1/service.proto

import type { SignResponse__Input as _keys_v1_SignResponse__Input, SignResponse as _keys_v1_SignResponse } from '../../keys/v1/SignResponse.ts';

export interface SignManyResponse__Input {
  'responses'?: (_keys_v1_SignResponse__Input)[];
}

export interface SignManyResponse {
  'responses': (_keys_v1_SignResponse)[];
}
