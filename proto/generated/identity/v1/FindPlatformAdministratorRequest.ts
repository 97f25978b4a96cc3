// Original file: identity/v1/service.proto


export interface FindPlatformAdministratorRequest__Input {
  'userId'?: (string);
}

export interface FindPlatformAdministratorRequest {
  'userId': (string);
}
