// Original file: rbac/v1/service.proto


export interface ListMemberRolesRequest__Input {
  'userId'?: (string);
}

export interface ListMemberRolesRequest {
  'userId': (string);
}
