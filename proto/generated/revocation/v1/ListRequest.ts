// Original file: revocation/v1/service.proto


export interface ListRequest__Input {
  /**
   * empty: everything still in force
   */
  'cursor'?: (string);
}

export interface ListRequest {
  /**
   * empty: everything still in force
   */
  'cursor': (string);
}
