// Original file: rbac/v1/service.proto


export interface Changed__Input {
  /**
   * the row that came with the request was written with the change
   */
  'isAudited'?: (boolean);
  '_isAudited'?: "isAudited";
}

export interface Changed {
  /**
   * the row that came with the request was written with the change
   */
  'isAudited'?: (boolean);
}
