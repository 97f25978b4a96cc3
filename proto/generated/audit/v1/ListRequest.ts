// Original file: audit/v1/service.proto


export interface ListRequest__Input {
  /**
   * What the database's audit_page takes.
   */
  'askedJson'?: (string);
}

export interface ListRequest {
  /**
   * What the database's audit_page takes.
   */
  'askedJson': (string);
}
