// Original file: identity/v1/service.proto


export interface FilterWithoutSecondFactorResponse__Input {
  'userIds'?: (string)[];
}

export interface FilterWithoutSecondFactorResponse {
  'userIds': (string)[];
}
