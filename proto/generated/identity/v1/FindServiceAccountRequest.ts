// Original file: identity/v1/service.proto


export interface FindServiceAccountRequest__Input {
  'accountId'?: (string);
}

export interface FindServiceAccountRequest {
  'accountId': (string);
}
