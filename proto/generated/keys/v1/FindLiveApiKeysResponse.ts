// Original file: keys/v1/service.proto


export interface FindLiveApiKeysResponse__Input {
  'ids'?: (string)[];
}

export interface FindLiveApiKeysResponse {
  'ids': (string)[];
}
