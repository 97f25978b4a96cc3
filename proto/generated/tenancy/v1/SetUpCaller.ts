// Original file: tenancy/v1/service.proto


/**
 * Whose link it is, and the request, for the audit log.
 */
export interface SetUpCaller__Input {
  'organizationId'?: (string);
  'linkId'?: (string);
  'madeBy'?: (string);
  'requestId'?: (string);
  'ipAddress'?: (string);
  'userAgent'?: (string);
}

/**
 * Whose link it is, and the request, for the audit log.
 */
export interface SetUpCaller {
  'organizationId': (string);
  'linkId': (string);
  'madeBy': (string);
  'requestId': (string);
  'ipAddress': (string);
  'userAgent': (string);
}
