// Original file: identity/v1/service.proto


export interface ListMachineAppsRequest__Input {
  /**
   * accountProject | organizationProject
   */
  'tenant'?: (string);
  'id'?: (string);
  /**
   * when not empty: only these
   */
  'ids'?: (string)[];
  /**
   * the last id of the page before; empty for the first
   */
  'after'?: (string);
  'limit'?: (number);
}

export interface ListMachineAppsRequest {
  /**
   * accountProject | organizationProject
   */
  'tenant': (string);
  'id': (string);
  /**
   * when not empty: only these
   */
  'ids': (string)[];
  /**
   * the last id of the page before; empty for the first
   */
  'after': (string);
  'limit': (number);
}
