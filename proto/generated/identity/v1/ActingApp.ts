// Original file: identity/v1/service.proto


export interface ActingApp__Input {
  'clientId'?: (string);
  /**
   * of a machine app
   */
  'roleId'?: (string);
  'projectScopeId'?: (string);
  /**
   * with scopes: these alone
   */
  'isCapped'?: (boolean);
  'scopes'?: (string)[];
  '_roleId'?: "roleId";
}

export interface ActingApp {
  'clientId': (string);
  /**
   * of a machine app
   */
  'roleId'?: (string);
  'projectScopeId': (string);
  /**
   * with scopes: these alone
   */
  'isCapped': (boolean);
  'scopes': (string)[];
}
