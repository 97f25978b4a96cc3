// Original file: keys/v1/service.proto


export interface SignIdTokenResponse__Input {
  /**
   * base64url
   */
  'signature'?: (string);
}

export interface SignIdTokenResponse {
  /**
   * base64url
   */
  'signature': (string);
}
