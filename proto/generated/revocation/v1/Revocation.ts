// Original file: revocation/v1/service.proto


export interface Revocation__Input {
  /**
   * jti | user | kid
   */
  'kind'?: (string);
  'value'?: (string);
  /**
   * tokens issued at or before this time are refused
   */
  'before'?: (string);
  /**
   * afterwards no such token can be alive
   */
  'expiresAt'?: (string);
}

export interface Revocation {
  /**
   * jti | user | kid
   */
  'kind': (string);
  'value': (string);
  /**
   * tokens issued at or before this time are refused
   */
  'before': (string);
  /**
   * afterwards no such token can be alive
   */
  'expiresAt': (string);
}
