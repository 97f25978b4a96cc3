// Original file: rbac/v1/service.proto

import type { GrantTerms__Input as _rbac_v1_GrantTerms__Input, GrantTerms as _rbac_v1_GrantTerms } from '../../rbac/v1/GrantTerms.ts';

export interface DescribeGrantsRequest__Input {
  'grants'?: (_rbac_v1_GrantTerms__Input)[];
}

export interface DescribeGrantsRequest {
  'grants': (_rbac_v1_GrantTerms)[];
}
