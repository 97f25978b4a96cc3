// Original file: identity/v1/service.proto


export interface FilterConsentingResponse__Input {
  /**
   * in the order of the request; none without such an app
   */
  'userIds'?: (string)[];
}

export interface FilterConsentingResponse {
  /**
   * in the order of the request; none without such an app
   */
  'userIds': (string)[];
}
