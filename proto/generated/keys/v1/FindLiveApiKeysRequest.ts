// Original file: keys/v1/service.proto


export interface FindLiveApiKeysRequest__Input {
  'ids'?: (string)[];
}

export interface FindLiveApiKeysRequest {
  'ids': (string)[];
}
