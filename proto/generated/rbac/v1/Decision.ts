// Original file: rbac/v1/authorization.proto


export interface Decision__Input {
  'authorized'?: (boolean);
  'reason'?: (string);
  /**
   * these three only with explain
   */
  'matchedPermissionJson'?: (string);
  'matchedConditionJson'?: (string);
  'evaluatedContextJson'?: (string);
  /**
   * Between services, when the subject is let in: how many requests its account or organization may send in a minute.
   */
  'requestsPerMinute'?: (number);
  '_matchedPermissionJson'?: "matchedPermissionJson";
  '_matchedConditionJson'?: "matchedConditionJson";
  '_evaluatedContextJson'?: "evaluatedContextJson";
  '_requestsPerMinute'?: "requestsPerMinute";
}

export interface Decision {
  'authorized': (boolean);
  'reason': (string);
  /**
   * these three only with explain
   */
  'matchedPermissionJson'?: (string);
  'matchedConditionJson'?: (string);
  'evaluatedContextJson'?: (string);
  /**
   * Between services, when the subject is let in: how many requests its account or organization may send in a minute.
   */
  'requestsPerMinute'?: (number);
}
