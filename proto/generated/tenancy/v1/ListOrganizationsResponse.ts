// Original file: tenancy/v1/service.proto

import type { OrganizationOfPerson__Input as _tenancy_v1_OrganizationOfPerson__Input, OrganizationOfPerson as _tenancy_v1_OrganizationOfPerson } from '../../tenancy/v1/OrganizationOfPerson.ts';

export interface ListOrganizationsResponse__Input {
  'organizations'?: (_tenancy_v1_OrganizationOfPerson__Input)[];
}

export interface ListOrganizationsResponse {
  'organizations': (_tenancy_v1_OrganizationOfPerson)[];
}
