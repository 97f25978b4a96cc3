// Original file: rbac/v1/authorization.proto


export interface FoundAction__Input {
  'resource'?: (string);
  'action'?: (string);
  /**
   * false: there is a permission, and its condition does not hold with this target
   */
  'authorized'?: (boolean);
  'reason'?: (string);
}

export interface FoundAction {
  'resource': (string);
  'action': (string);
  /**
   * false: there is a permission, and its condition does not hold with this target
   */
  'authorized': (boolean);
  'reason': (string);
}
