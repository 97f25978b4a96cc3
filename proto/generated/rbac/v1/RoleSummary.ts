// Original file: rbac/v1/service.proto


export interface RoleSummary__Input {
  'id'?: (string);
  'name'?: (string);
  'description'?: (string);
  'isBuiltIn'?: (boolean);
  /**
   * built-in organization roles: 1 Owner … 4 Viewer
   */
  'rank'?: (number);
  'metadataJson'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
  'primaryTagId'?: (string);
  '_description'?: "description";
  '_rank'?: "rank";
  '_primaryTagId'?: "primaryTagId";
}

export interface RoleSummary {
  'id': (string);
  'name': (string);
  'description'?: (string);
  'isBuiltIn': (boolean);
  /**
   * built-in organization roles: 1 Owner … 4 Viewer
   */
  'rank'?: (number);
  'metadataJson': (string);
  'createdAt': (string);
  'updatedAt': (string);
  'primaryTagId'?: (string);
}
