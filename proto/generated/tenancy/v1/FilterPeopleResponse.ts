// Original file: /work/trees/grpc/proto/tenancy/v1/service.proto


export interface FilterPeopleResponse__Input {
  'userIds'?: (string)[];
}

export interface FilterPeopleResponse {
  'userIds': (string)[];
}
