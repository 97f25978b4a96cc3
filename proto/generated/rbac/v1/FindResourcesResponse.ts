// Original file: rbac/v1/authorization.proto


export interface FindResourcesResponse__Input {
  /**
   * slugs
   */
  'resources'?: (string)[];
  'nextCursor'?: (string);
}

export interface FindResourcesResponse {
  /**
   * slugs
   */
  'resources': (string)[];
  'nextCursor': (string);
}
