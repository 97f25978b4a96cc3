// Original file: identity/v1/service.proto


export interface RejectRegistrationRequest__Input {
  'email'?: (string);
}

export interface RejectRegistrationRequest {
  'email': (string);
}
