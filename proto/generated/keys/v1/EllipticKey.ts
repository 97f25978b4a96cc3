// Original file: keys/v1/service.proto


export interface EllipticKey__Input {
  'kid'?: (string);
  'x'?: (string);
  'y'?: (string);
}

export interface EllipticKey {
  'kid': (string);
  'x': (string);
  'y': (string);
}
