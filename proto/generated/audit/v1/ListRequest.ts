// Original file: audit/v1/service.proto


export interface ListRequest__Input {
  /**
   * What the database's audit_page takes.
   */
  'askedJson'?: (string);
  /**
   * How old the answer may be: a replica may give it. 0: not at all.
   */
  'maxStaleMs'?: (number);
}

export interface ListRequest {
  /**
   * What the database's audit_page takes.
   */
  'askedJson': (string);
  /**
   * How old the answer may be: a replica may give it. 0: not at all.
   */
  'maxStaleMs': (number);
}
