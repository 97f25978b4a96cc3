// Original file: rbac/v1/service.proto


export interface CountInScopesResponse__Input {
  'roles'?: (number);
  'tags'?: (number);
}

export interface CountInScopesResponse {
  'roles': (number);
  'tags': (number);
}
