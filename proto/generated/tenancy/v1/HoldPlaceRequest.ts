// Original file: tenancy/v1/service.proto


export interface HoldPlaceRequest__Input {
  'organizationId'?: (string);
  /**
   * of the person to come
   */
  'userId'?: (string);
}

export interface HoldPlaceRequest {
  'organizationId': (string);
  /**
   * of the person to come
   */
  'userId': (string);
}
