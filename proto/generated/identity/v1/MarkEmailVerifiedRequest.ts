// Original file: identity/v1/service.proto


export interface MarkEmailVerifiedRequest__Input {
  'userId'?: (string);
  'email'?: (string);
}

export interface MarkEmailVerifiedRequest {
  'userId': (string);
  'email': (string);
}
