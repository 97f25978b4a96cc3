// Original file: tenancy/v1/service.proto


export interface Scope__Input {
  'tenant'?: (string);
  'id'?: (string);
}

export interface Scope {
  'tenant': (string);
  'id': (string);
}
