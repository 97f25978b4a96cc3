// Original file: tenancy/v1/service.proto

import type { OrganizationName__Input as _tenancy_v1_OrganizationName__Input, OrganizationName as _tenancy_v1_OrganizationName } from '../../tenancy/v1/OrganizationName.ts';

export interface SignUpOrganizationResponse__Input {
  'organization'?: (_tenancy_v1_OrganizationName__Input | null);
  /**
   * false when it was made before
   */
  'isMade'?: (boolean);
}

export interface SignUpOrganizationResponse {
  'organization': (_tenancy_v1_OrganizationName | null);
  /**
   * false when it was made before
   */
  'isMade': (boolean);
}
