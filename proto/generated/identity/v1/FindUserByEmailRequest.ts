// Original file: identity/v1/service.proto


export interface FindUserByEmailRequest__Input {
  'email'?: (string);
}

export interface FindUserByEmailRequest {
  'email': (string);
}
