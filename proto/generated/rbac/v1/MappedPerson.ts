// Original file: rbac/v1/service.proto


export interface MappedPerson__Input {
  'userId'?: (string);
  /**
   * as in MapRolesRequest
   */
  'roleIds'?: (string)[];
}

export interface MappedPerson {
  'userId': (string);
  /**
   * as in MapRolesRequest
   */
  'roleIds': (string)[];
}
