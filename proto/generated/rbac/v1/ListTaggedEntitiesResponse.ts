// Original file: rbac/v1/service.proto


export interface ListTaggedEntitiesResponse__Input {
  'entityIds'?: (string)[];
}

export interface ListTaggedEntitiesResponse {
  'entityIds': (string)[];
}
