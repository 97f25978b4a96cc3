// Original file: keys/v1/service.proto

import type { SignRequest__Input as _keys_v1_SignRequest__Input, SignRequest as _keys_v1_SignRequest } from '../../keys/v1/SignRequest.ts';

export interface SignManyRequest__Input {
  'requests'?: (_keys_v1_SignRequest__Input)[];
}

export interface SignManyRequest {
  'requests': (_keys_v1_SignRequest)[];
}
