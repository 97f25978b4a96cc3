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
  /**
   * only with explain: subject | actor | app | grant
   */
  'refusedBy'?: (string);
  /**
   * Between services, with CONNECTION_REQUIRED: the identity provider by which the subject has to come.
   */
  'connectionId'?: (string);
  '_matchedPermissionJson'?: "matchedPermissionJson";
  '_matchedConditionJson'?: "matchedConditionJson";
  '_evaluatedContextJson'?: "evaluatedContextJson";
  '_requestsPerMinute'?: "requestsPerMinute";
  '_connectionId'?: "connectionId";
  '_refusedBy'?: "refusedBy";
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
  /**
   * only with explain: subject | actor | app | grant
   */
  'refusedBy'?: (string);
  /**
   * Between services, with CONNECTION_REQUIRED: the identity provider by which the subject has to come.
   */
  'connectionId'?: (string);
}
