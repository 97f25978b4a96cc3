// Original file: tenancy/v1/service.proto


export interface RemovePersonResponse__Input {
  /**
   * false for a member of the organization, the owner of the account, and unknown users
   */
  'removed'?: (boolean);
  /**
   * the row that came with the request was written with the removal
   */
  'isAudited'?: (boolean);
  '_isAudited'?: "isAudited";
}

export interface RemovePersonResponse {
  /**
   * false for a member of the organization, the owner of the account, and unknown users
   */
  'removed': (boolean);
  /**
   * the row that came with the request was written with the removal
   */
  'isAudited'?: (boolean);
}
