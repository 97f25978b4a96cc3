// Original file: identity/v1/service.proto


export interface FilterWithoutSecondFactorRequest__Input {
  'userIds'?: (string)[];
}

export interface FilterWithoutSecondFactorRequest {
  'userIds': (string)[];
}
