// Original file: rbac/v1/service.proto


export interface TagSummary__Input {
  'id'?: (string);
  'name'?: (string);
  'color'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
}

export interface TagSummary {
  'id': (string);
  'name': (string);
  'color': (string);
  'createdAt': (string);
  'updatedAt': (string);
}
