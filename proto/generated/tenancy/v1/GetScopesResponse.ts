// Original file: tenancy/v1/service.proto


export interface GetScopesResponse__Input {
  /**
   * in the order of the request
   */
  'exists'?: (boolean)[];
}

export interface GetScopesResponse {
  /**
   * in the order of the request
   */
  'exists': (boolean)[];
}
