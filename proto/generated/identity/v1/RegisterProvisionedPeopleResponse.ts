// Original file: identity/v1/service.proto


export interface RegisterProvisionedPeopleResponse__Input {
  /**
   * in the order of the request; empty where an account has the address by now
   */
  'userIds'?: (string)[];
}

export interface RegisterProvisionedPeopleResponse {
  /**
   * in the order of the request; empty where an account has the address by now
   */
  'userIds': (string)[];
}
