// Original file: tenancy/v1/service.proto


export interface ListAccountsRequest__Input {
  'userIds'?: (string)[];
}

export interface ListAccountsRequest {
  'userIds': (string)[];
}
