// Original file: identity/v1/service.proto


export interface RegisterProvisionedRequest__Input {
  'invitationId'?: (string);
  'organizationId'?: (string);
  'email'?: (string);
  'name'?: (string);
}

export interface RegisterProvisionedRequest {
  'invitationId': (string);
  'organizationId': (string);
  'email': (string);
  'name': (string);
}
