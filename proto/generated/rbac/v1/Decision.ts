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
  '_matchedPermissionJson'?: "matchedPermissionJson";
  '_matchedConditionJson'?: "matchedConditionJson";
  '_evaluatedContextJson'?: "evaluatedContextJson";
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
}
