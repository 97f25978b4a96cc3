// Original file: identity/v1/service.proto


export interface GetUsersRequest__Input {
  'ids'?: (string)[];
}

export interface GetUsersRequest {
  'ids': (string)[];
}
