// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface GetScopesRequest__Input {
  'scopes'?: (_tenancy_v1_Scope__Input)[];
}

export interface GetScopesRequest {
  'scopes': (_tenancy_v1_Scope)[];
}
