// Original file: tenancy/v1/service.proto


export interface SessionPolicy__Input {
  'requireSecondFactor'?: (boolean);
  /**
   * absent: any age
   */
  'maxSessionAgeMinutes'?: (number);
  '_maxSessionAgeMinutes'?: "maxSessionAgeMinutes";
}

export interface SessionPolicy {
  'requireSecondFactor': (boolean);
  /**
   * absent: any age
   */
  'maxSessionAgeMinutes'?: (number);
}
