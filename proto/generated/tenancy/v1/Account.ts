// Original file: tenancy/v1/service.proto


export interface Account__Input {
  'id'?: (string);
  'type'?: (string);
  'ownerId'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
}

export interface Account {
  'id': (string);
  'type': (string);
  'ownerId': (string);
  'createdAt': (string);
  'updatedAt': (string);
}
