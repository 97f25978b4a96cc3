// Original file: rbac/v1/service.proto


export interface FindResourceServerResponse__Input {
  /**
   * as it is registered; empty when no resource of the project has it
   */
  'identifier'?: (string);
  'slugs'?: (string)[];
}

export interface FindResourceServerResponse {
  /**
   * as it is registered; empty when no resource of the project has it
   */
  'identifier': (string);
  'slugs': (string)[];
}
