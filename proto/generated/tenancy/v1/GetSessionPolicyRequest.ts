// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface GetSessionPolicyRequest__Input {
  'scope'?: (_tenancy_v1_Scope__Input | null);
}

export interface GetSessionPolicyRequest {
  'scope': (_tenancy_v1_Scope | null);
}
