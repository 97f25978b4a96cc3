// Original file: rbac/v1/authorization.proto


export interface Scope__Input {
  /**
   * account | organization | accountProject | organizationProject
   */
  'tenant'?: (string);
  /**
   * of a project: <account or organization>:<project>
   */
  'id'?: (string);
}

export interface Scope {
  /**
   * account | organization | accountProject | organizationProject
   */
  'tenant': (string);
  /**
   * of a project: <account or organization>:<project>
   */
  'id': (string);
}
