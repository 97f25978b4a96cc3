// Original file: tenancy/v1/service.proto

import type { SetUpCaller__Input as _tenancy_v1_SetUpCaller__Input, SetUpCaller as _tenancy_v1_SetUpCaller } from '../../tenancy/v1/SetUpCaller.ts';

export interface CheckSetUpDomainRequest__Input {
  'caller'?: (_tenancy_v1_SetUpCaller__Input | null);
  'id'?: (string);
}

export interface CheckSetUpDomainRequest {
  'caller': (_tenancy_v1_SetUpCaller | null);
  'id': (string);
}
