// Original file: tenancy/v1/service.proto


export interface OrganizationName__Input {
  'organizationId'?: (string);
  'name'?: (string);
  'slug'?: (string);
}

export interface OrganizationName {
  'organizationId': (string);
  'name': (string);
  'slug': (string);
}
