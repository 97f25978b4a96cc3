// Original file: keys/v1/service.proto


export interface KeySubject__Input {
  'id'?: (string);
  'name'?: (string);
  'userId'?: (string);
  'roleId'?: (string);
  '_roleId'?: "roleId";
}

export interface KeySubject {
  'id': (string);
  'name': (string);
  'userId': (string);
  'roleId'?: (string);
}
