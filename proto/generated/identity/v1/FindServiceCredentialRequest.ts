// Original file: identity/v1/service.proto


export interface FindServiceCredentialRequest__Input {
  'accountId'?: (string);
  'credentialId'?: (string);
}

export interface FindServiceCredentialRequest {
  'accountId': (string);
  'credentialId': (string);
}
