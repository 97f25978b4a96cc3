// Original file: rbac/v1/service.proto


export interface OwnedOrganization__Input {
  'organizationId'?: (string);
  'ownerCount'?: (number);
}

export interface OwnedOrganization {
  'organizationId': (string);
  'ownerCount': (number);
}
