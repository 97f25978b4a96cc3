// Original file: tenancy/v1/service.proto


export interface GetAdmissionRequest__Input {
  'organizationId'?: (string);
  'address'?: (string);
  /**
   * Empty for somebody whom identity does not know yet.
   */
  'userId'?: (string);
}

export interface GetAdmissionRequest {
  'organizationId': (string);
  'address': (string);
  /**
   * Empty for somebody whom identity does not know yet.
   */
  'userId': (string);
}
