// Original file: keys/v1/service.proto

import type { Long } from '@grpc/proto-loader';

export interface SignResponse__Input {
  'token'?: (string);
  'kid'?: (string);
  /**
   * seconds since 1970
   */
  'expiresAt'?: (number | string | Long);
}

export interface SignResponse {
  'token': (string);
  'kid': (string);
  /**
   * seconds since 1970
   */
  'expiresAt': (number);
}
