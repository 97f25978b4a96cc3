// Original file: identity/v1/service.proto


export interface CountProjectAppsRequest__Input {
  /**
   * <account or organization>:<project>
   */
  'scopeIds'?: (string)[];
}

export interface CountProjectAppsRequest {
  /**
   * <account or organization>:<project>
   */
  'scopeIds': (string)[];
}
