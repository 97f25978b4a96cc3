// Original file: rbac/v1/service.proto


export interface GroupSummary__Input {
  'id'?: (string);
  'name'?: (string);
  'description'?: (string);
  'metadataJson'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
  'primaryTagId'?: (string);
  '_description'?: "description";
  '_primaryTagId'?: "primaryTagId";
}

export interface GroupSummary {
  'id': (string);
  'name': (string);
  'description'?: (string);
  'metadataJson': (string);
  'createdAt': (string);
  'updatedAt': (string);
  'primaryTagId'?: (string);
}
