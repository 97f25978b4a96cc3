// Original file: identity/v1/service.proto


export interface FindUserByEmailResponse__Input {
  'userId'?: (string);
  'name'?: (string);
  'isVerified'?: (boolean);
  '_userId'?: "userId";
}

export interface FindUserByEmailResponse {
  'userId'?: (string);
  'name': (string);
  'isVerified': (boolean);
}
