// Original file: identity/v1/service.proto


export interface AgentRequests__Input {
  /**
   * as the token names it
   */
  'clientId'?: (string);
  'userId'?: (string);
  /**
   * <account or organization>:<project>
   */
  'placeId'?: (string);
  'requests'?: (number);
  /**
   * of these
   */
  'refused'?: (number);
}

export interface AgentRequests {
  /**
   * as the token names it
   */
  'clientId': (string);
  'userId': (string);
  /**
   * <account or organization>:<project>
   */
  'placeId': (string);
  'requests': (number);
  /**
   * of these
   */
  'refused': (number);
}
