// Original file: rbac/v1/service.proto

import type { RoleSummary__Input as _rbac_v1_RoleSummary__Input, RoleSummary as _rbac_v1_RoleSummary } from '../../rbac/v1/RoleSummary.ts';

export interface GrantSummary__Input {
  'memberCount'?: (number);
  'roles'?: (_rbac_v1_RoleSummary__Input)[];
}

export interface GrantSummary {
  'memberCount': (number);
  'roles': (_rbac_v1_RoleSummary)[];
}
