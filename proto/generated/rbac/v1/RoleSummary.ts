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
  /**
   * of ChangeMemberRole, as in Changed
   */
  'isAudited'?: (boolean);
  /**
   * built-in: only service accounts hold it
   */
  'isForMachines'?: (boolean);
  '_description'?: "description";
  '_rank'?: "rank";
  '_primaryTagId'?: "primaryTagId";
  '_isAudited'?: "isAudited";
  '_isForMachines'?: "isForMachines";
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
  /**
   * of ChangeMemberRole, as in Changed
   */
  'isAudited'?: (boolean);
  /**
   * built-in: only service accounts hold it
   */
  'isForMachines'?: (boolean);
}
