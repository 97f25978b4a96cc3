// Original file: rbac/v1/authorization.proto


/**
 * What an organization lets a supporter do who acts as one of its people.
 */
export interface Support__Input {
  'organizationId'?: (string);
  'mayWrite'?: (boolean);
  'mayExport'?: (boolean);
}

/**
 * What an organization lets a supporter do who acts as one of its people.
 */
export interface Support {
  'organizationId': (string);
  'mayWrite': (boolean);
  'mayExport': (boolean);
}
