// Original file: tenancy/v1/service.proto


export interface ListPeopleResponse__Input {
  'userIds'?: (string)[];
  'totalCount'?: (number);
}

export interface ListPeopleResponse {
  'userIds': (string)[];
  'totalCount': (number);
}
