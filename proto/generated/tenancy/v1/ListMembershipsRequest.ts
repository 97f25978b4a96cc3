// Original file: tenancy/v1/service.proto


export interface ListMembershipsRequest__Input {
  'userId'?: (string);
}

export interface ListMembershipsRequest {
  'userId': (string);
}
