// Original file: rbac/v1/service.proto


export interface DescribeActionsResponse__Input {
  /**
   * in the order of the request; empty for actions that do not exist in the scope
   */
  'descriptions'?: (string)[];
}

export interface DescribeActionsResponse {
  /**
   * in the order of the request; empty for actions that do not exist in the scope
   */
  'descriptions': (string)[];
}
