// Original file: tenancy/v1/service.proto


export interface GetAdmissionRequest__Input {
  'organizationId'?: (string);
  'address'?: (string);
  /**
   * Empty when identity has no account with this address yet.
   */
  'userId'?: (string);
}

export interface GetAdmissionRequest {
  'organizationId': (string);
  'address': (string);
  /**
   * Empty when identity has no account with this address yet.
   */
  'userId': (string);
}
