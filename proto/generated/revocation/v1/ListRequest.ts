// Original file: revocation/v1/service.proto


export interface ListRequest__Input {
  /**
   * empty: all revocations that are still in force
   */
  'cursor'?: (string);
}

export interface ListRequest {
  /**
   * empty: all revocations that are still in force
   */
  'cursor': (string);
}
