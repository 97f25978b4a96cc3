// Original file: rbac/v1/service.proto


export interface MemberRole__Input {
  'organizationId'?: (string);
  'name'?: (string);
}

export interface MemberRole {
  'organizationId': (string);
  'name': (string);
}
