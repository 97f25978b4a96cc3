// Original file: tenancy/v1/service.proto


export interface ScopeNames__Input {
  /**
   * empty for accounts and their projects
   */
  'organization'?: (string);
  /**
   * empty for what is no project
   */
  'project'?: (string);
}

export interface ScopeNames {
  /**
   * empty for accounts and their projects
   */
  'organization': (string);
  /**
   * empty for what is no project
   */
  'project': (string);
}
