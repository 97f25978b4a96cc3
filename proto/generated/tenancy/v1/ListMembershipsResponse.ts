// Original file: tenancy/v1/service.proto

import type { OrganizationMembership__Input as _tenancy_v1_OrganizationMembership__Input, OrganizationMembership as _tenancy_v1_OrganizationMembership } from '../../tenancy/v1/OrganizationMembership.ts';
import type { ProjectMembership__Input as _tenancy_v1_ProjectMembership__Input, ProjectMembership as _tenancy_v1_ProjectMembership } from '../../tenancy/v1/ProjectMembership.ts';

export interface ListMembershipsResponse__Input {
  'organizations'?: (_tenancy_v1_OrganizationMembership__Input)[];
  'projects'?: (_tenancy_v1_ProjectMembership__Input)[];
}

export interface ListMembershipsResponse {
  'organizations': (_tenancy_v1_OrganizationMembership)[];
  'projects': (_tenancy_v1_ProjectMembership)[];
}
