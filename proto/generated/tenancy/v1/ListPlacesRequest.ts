// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface ListPlacesRequest__Input {
  'userId'?: (string);
  /**
   * its own scope, of its owner
   */
  'project'?: (_tenancy_v1_Scope__Input | null);
  /**
   * when not empty: no other customer than this one
   */
  'organizationId'?: (string);
}

export interface ListPlacesRequest {
  'userId': (string);
  /**
   * its own scope, of its owner
   */
  'project': (_tenancy_v1_Scope | null);
  /**
   * when not empty: no other customer than this one
   */
  'organizationId': (string);
}
