// Original file: rbac/v1/service.proto


export interface RolesPreview__Input {
  'userId'?: (string);
  'gained'?: (string)[];
  'lost'?: (string)[];
}

export interface RolesPreview {
  'userId': (string);
  'gained': (string)[];
  'lost': (string)[];
}
