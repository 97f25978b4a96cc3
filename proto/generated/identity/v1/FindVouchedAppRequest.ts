// Original file: identity/v1/service.proto


export interface FindVouchedAppRequest__Input {
  /**
   * accountProject | organizationProject
   */
  'tenant'?: (string);
  'id'?: (string);
  /**
   * empty: the app of this token
   */
  'appId'?: (string);
  'tokenId'?: (string);
}

export interface FindVouchedAppRequest {
  /**
   * accountProject | organizationProject
   */
  'tenant': (string);
  'id': (string);
  /**
   * empty: the app of this token
   */
  'appId': (string);
  'tokenId': (string);
}
