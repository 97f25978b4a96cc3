// Original file: tenancy/v1/service.proto


export interface OrganizationMembership__Input {
  'organizationId'?: (string);
  'name'?: (string);
  'slug'?: (string);
  'joinedAt'?: (string);
}

export interface OrganizationMembership {
  'organizationId': (string);
  'name': (string);
  'slug': (string);
  'joinedAt': (string);
}
