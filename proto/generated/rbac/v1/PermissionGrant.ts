// Original file: rbac/v1/authorization.proto


export interface PermissionGrant__Input {
  'resource'?: (string);
  'action'?: (string);
  /**
   * absent: unconditional
   */
  'conditionJson'?: (string);
  '_conditionJson'?: "conditionJson";
}

export interface PermissionGrant {
  'resource': (string);
  'action': (string);
  /**
   * absent: unconditional
   */
  'conditionJson'?: (string);
}
