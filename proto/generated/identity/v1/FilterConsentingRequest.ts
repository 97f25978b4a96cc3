// Original file: identity/v1/service.proto


export interface FilterConsentingRequest__Input {
  /**
   * where it acts, as in FindActingAppRequest
   */
  'tenant'?: (string);
  'id'?: (string);
  'appId'?: (string);
  /**
   * <resource>:<action>
   */
  'scope'?: (string);
  'userIds'?: (string)[];
}

export interface FilterConsentingRequest {
  /**
   * where it acts, as in FindActingAppRequest
   */
  'tenant': (string);
  'id': (string);
  'appId': (string);
  /**
   * <resource>:<action>
   */
  'scope': (string);
  'userIds': (string)[];
}
