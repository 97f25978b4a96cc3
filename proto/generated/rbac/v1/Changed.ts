// Original file: rbac/v1/service.proto


export interface Changed__Input {
  /**
   * the row that came with the request was written with the change
   */
  'isAudited'?: (boolean);
  /**
   * MapRoles: the user is a member of the organization here; a first membership may arrive later
   */
  'isMember'?: (boolean);
  '_isAudited'?: "isAudited";
  '_isMember'?: "isMember";
}

export interface Changed {
  /**
   * the row that came with the request was written with the change
   */
  'isAudited'?: (boolean);
  /**
   * MapRoles: the user is a member of the organization here; a first membership may arrive later
   */
  'isMember'?: (boolean);
}
