// Original file: tenancy/v1/service.proto


export interface FilterPeopleResponse__Input {
  'userIds'?: (string)[];
}

export interface FilterPeopleResponse {
  'userIds': (string)[];
}
