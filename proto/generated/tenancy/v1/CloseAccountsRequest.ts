// Original file: tenancy/v1/service.proto


export interface CloseAccountsRequest__Input {
  'userId'?: (string);
  'hard'?: (boolean);
}

export interface CloseAccountsRequest {
  'userId': (string);
  'hard': (boolean);
}
