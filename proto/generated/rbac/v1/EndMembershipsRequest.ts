// Original file: rbac/v1/service.proto


export interface EndMembershipsRequest__Input {
  'userId'?: (string);
  'organizationIds'?: (string)[];
}

export interface EndMembershipsRequest {
  'userId': (string);
  'organizationIds': (string)[];
}
