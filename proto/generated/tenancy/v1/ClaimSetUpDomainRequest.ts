// Original file: tenancy/v1/service.proto

import type { SetUpCaller__Input as _tenancy_v1_SetUpCaller__Input, SetUpCaller as _tenancy_v1_SetUpCaller } from '../../tenancy/v1/SetUpCaller.ts';

export interface ClaimSetUpDomainRequest__Input {
  'caller'?: (_tenancy_v1_SetUpCaller__Input | null);
  'domain'?: (string);
}

export interface ClaimSetUpDomainRequest {
  'caller': (_tenancy_v1_SetUpCaller | null);
  'domain': (string);
}
