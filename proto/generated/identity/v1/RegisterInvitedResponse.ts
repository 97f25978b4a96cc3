// Original file: identity/v1/service.proto


export interface RegisterInvitedResponse__Input {
  'userId'?: (string);
}

export interface RegisterInvitedResponse {
  'userId': (string);
}
