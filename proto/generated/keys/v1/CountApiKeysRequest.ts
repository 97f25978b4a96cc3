// Original file: keys/v1/service.proto


export interface CountApiKeysRequest__Input {
  /**
   * <account or organization>:<project>
   */
  'scopeIds'?: (string)[];
}

export interface CountApiKeysRequest {
  /**
   * <account or organization>:<project>
   */
  'scopeIds': (string)[];
}
