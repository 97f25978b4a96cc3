// Original file: tenancy/v1/service.proto


export interface RemovePersonResponse__Input {
  /**
   * false for a member of the organization, the owner of the account, and unknown users
   */
  'removed'?: (boolean);
}

export interface RemovePersonResponse {
  /**
   * false for a member of the organization, the owner of the account, and unknown users
   */
  'removed': (boolean);
}
