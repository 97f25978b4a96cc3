// Original file: identity/v1/service.proto


export interface FindPlatformAdministratorResponse__Input {
  'isAdministrator'?: (boolean);
  /**
   * then sessions with one factor are not enough
   */
  'hasSecondFactor'?: (boolean);
}

export interface FindPlatformAdministratorResponse {
  'isAdministrator': (boolean);
  /**
   * then sessions with one factor are not enough
   */
  'hasSecondFactor': (boolean);
}
