// Original file: keys/v1/service.proto


export interface GetVerificationKeyRequest__Input {
  'kid'?: (string);
}

export interface GetVerificationKeyRequest {
  'kid': (string);
}
