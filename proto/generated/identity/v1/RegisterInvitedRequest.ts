// Original file: identity/v1/service.proto


export interface RegisterInvitedRequest__Input {
  'invitationId'?: (string);
  'organizationId'?: (string);
  'email'?: (string);
  'name'?: (string);
  'password'?: (string);
}

export interface RegisterInvitedRequest {
  'invitationId': (string);
  'organizationId': (string);
  'email': (string);
  'name': (string);
  'password': (string);
}
