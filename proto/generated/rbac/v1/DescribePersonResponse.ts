// Original file: rbac/v1/service.proto


export interface DescribePersonResponse__Input {
  /**
   * the project's own roles that count now, sorted; none that a customer or an organization has made
   */
  'roleNames'?: (string)[];
  /**
   * empty where an organization uses the project: what it writes of its members stays with it
   */
  'memberMetadataJson'?: (string);
  /**
   * empty in the project itself
   */
  'grantMetadataJson'?: (string);
}

export interface DescribePersonResponse {
  /**
   * the project's own roles that count now, sorted; none that a customer or an organization has made
   */
  'roleNames': (string)[];
  /**
   * empty where an organization uses the project: what it writes of its members stays with it
   */
  'memberMetadataJson': (string);
  /**
   * empty in the project itself
   */
  'grantMetadataJson': (string);
}
