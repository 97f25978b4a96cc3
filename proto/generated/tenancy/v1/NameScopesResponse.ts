// Original file: tenancy/v1/service.proto

import type { ScopeNames__Input as _tenancy_v1_ScopeNames__Input, ScopeNames as _tenancy_v1_ScopeNames } from '../../tenancy/v1/ScopeNames.ts';

export interface NameScopesResponse__Input {
  /**
   * in the order of the request; empty names for scopes that do not exist
   */
  'names'?: (_tenancy_v1_ScopeNames__Input)[];
}

export interface NameScopesResponse {
  /**
   * in the order of the request; empty names for scopes that do not exist
   */
  'names': (_tenancy_v1_ScopeNames)[];
}
