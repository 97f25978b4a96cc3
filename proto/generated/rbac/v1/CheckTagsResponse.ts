// Original file: rbac/v1/service.proto


export interface CheckTagsResponse__Input {
  'missing'?: (string)[];
}

export interface CheckTagsResponse {
  'missing': (string)[];
}
