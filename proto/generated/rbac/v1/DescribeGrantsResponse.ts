// Original file: rbac/v1/service.proto

import type { GrantSummary__Input as _rbac_v1_GrantSummary__Input, GrantSummary as _rbac_v1_GrantSummary } from '../../rbac/v1/GrantSummary.ts';

export interface DescribeGrantsResponse__Input {
  'grants'?: (_rbac_v1_GrantSummary__Input)[];
}

export interface DescribeGrantsResponse {
  'grants': (_rbac_v1_GrantSummary)[];
}
