// Original file: keys/v1/service.proto


export interface CountApiKeysResponse__Input {
  'count'?: (number);
}

export interface CountApiKeysResponse {
  'count': (number);
}
