// Original file: keys/v1/service.proto


export interface GetVerificationKeysRequest__Input {
  'kids'?: (string)[];
}

export interface GetVerificationKeysRequest {
  'kids': (string)[];
}
