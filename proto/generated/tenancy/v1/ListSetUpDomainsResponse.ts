// Original file: tenancy/v1/service.proto

import type { SetUpDomain__Input as _tenancy_v1_SetUpDomain__Input, SetUpDomain as _tenancy_v1_SetUpDomain } from '../../tenancy/v1/SetUpDomain.ts';

export interface ListSetUpDomainsResponse__Input {
  'domains'?: (_tenancy_v1_SetUpDomain__Input)[];
}

export interface ListSetUpDomainsResponse {
  'domains': (_tenancy_v1_SetUpDomain)[];
}
