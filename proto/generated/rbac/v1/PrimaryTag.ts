// Original file: rbac/v1/service.proto


export interface PrimaryTag__Input {
  'projectId'?: (string);
  'tagId'?: (string);
}

export interface PrimaryTag {
  'projectId': (string);
  'tagId': (string);
}
