// Original file: identity/v1/service.proto


export interface FindServiceCredentialResponse__Input {
  'isLive'?: (boolean);
}

export interface FindServiceCredentialResponse {
  'isLive': (boolean);
}
