// Original file: keys/v1/service.proto


export interface SigningScope__Input {
  /**
   * system | accountProject | organizationProject
   */
  'tenant'?: (string);
  /**
   * empty for system
   */
  'id'?: (string);
}

export interface SigningScope {
  /**
   * system | accountProject | organizationProject
   */
  'tenant': (string);
  /**
   * empty for system
   */
  'id': (string);
}
