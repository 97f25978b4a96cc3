// Original file: identity/v1/service.proto


export interface FindServiceAccountResponse__Input {
  'isLive'?: (boolean);
}

export interface FindServiceAccountResponse {
  'isLive': (boolean);
}
