// Original file: audit/v1/service.proto


export interface ListResponse__Input {
  'rowsJson'?: (string)[];
}

export interface ListResponse {
  'rowsJson': (string)[];
}
