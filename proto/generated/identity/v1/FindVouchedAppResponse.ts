// Original file: identity/v1/service.proto


export interface FindVouchedAppResponse__Input {
  /**
   * empty: the token is of no app, or there is no such app
   */
  'appId'?: (string);
  'isVouched'?: (boolean);
  'isCapped'?: (boolean);
  /**
   * of a capped app: what its voucher may still give
   */
  'scopes'?: (string)[];
}

export interface FindVouchedAppResponse {
  /**
   * empty: the token is of no app, or there is no such app
   */
  'appId': (string);
  'isVouched': (boolean);
  'isCapped': (boolean);
  /**
   * of a capped app: what its voucher may still give
   */
  'scopes': (string)[];
}
