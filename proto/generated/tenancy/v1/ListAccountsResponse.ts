// Original file: tenancy/v1/service.proto

import type { Account__Input as _tenancy_v1_Account__Input, Account as _tenancy_v1_Account } from '../../tenancy/v1/Account.ts';

export interface ListAccountsResponse__Input {
  'accounts'?: (_tenancy_v1_Account__Input)[];
}

export interface ListAccountsResponse {
  'accounts': (_tenancy_v1_Account)[];
}
