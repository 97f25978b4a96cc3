// Original file: keys/v1/service.proto

import type { KeySubject__Input as _keys_v1_KeySubject__Input, KeySubject as _keys_v1_KeySubject } from '../../keys/v1/KeySubject.ts';

export interface ListKeySubjectsResponse__Input {
  'subjects'?: (_keys_v1_KeySubject__Input)[];
}

export interface ListKeySubjectsResponse {
  'subjects': (_keys_v1_KeySubject)[];
}
