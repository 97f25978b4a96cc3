// Original file: tenancy/v1/service.proto


export interface SessionPolicy__Input {
  'requireSecondFactor'?: (boolean);
  /**
   * absent: any age
   */
  'maxSessionAgeMinutes'?: (number);
  /**
   * codes by mail are no way to sign in to its apps
   */
  'refusesEmailCode'?: (boolean);
  '_maxSessionAgeMinutes'?: "maxSessionAgeMinutes";
  '_refusesEmailCode'?: "refusesEmailCode";
}

export interface SessionPolicy {
  'requireSecondFactor': (boolean);
  /**
   * absent: any age
   */
  'maxSessionAgeMinutes'?: (number);
  /**
   * codes by mail are no way to sign in to its apps
   */
  'refusesEmailCode'?: (boolean);
}
