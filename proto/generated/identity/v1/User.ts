// Original file: identity/v1/service.proto


export interface User__Input {
  'id'?: (string);
  'name'?: (string);
  'pictureUrl'?: (string);
  'metadataJson'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
  'deletedAt'?: (string);
  '_pictureUrl'?: "pictureUrl";
  '_deletedAt'?: "deletedAt";
}

export interface User {
  'id': (string);
  'name': (string);
  'pictureUrl'?: (string);
  'metadataJson': (string);
  'createdAt': (string);
  'updatedAt': (string);
  'deletedAt'?: (string);
}
