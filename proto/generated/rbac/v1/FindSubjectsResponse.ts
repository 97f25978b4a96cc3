// Original file: rbac/v1/authorization.proto


export interface FindSubjectsResponse__Input {
  'ids'?: (string)[];
  /**
   * empty at the end; a page may be shorter than its limit before that
   */
  'nextCursor'?: (string);
}

export interface FindSubjectsResponse {
  'ids': (string)[];
  /**
   * empty at the end; a page may be shorter than its limit before that
   */
  'nextCursor': (string);
}
