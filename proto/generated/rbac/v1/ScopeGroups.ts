// Original file: rbac/v1/service.proto

import type { GroupSummary__Input as _rbac_v1_GroupSummary__Input, GroupSummary as _rbac_v1_GroupSummary } from '../../rbac/v1/GroupSummary.ts';

export interface ScopeGroups__Input {
  'groups'?: (_rbac_v1_GroupSummary__Input)[];
}

export interface ScopeGroups {
  'groups': (_rbac_v1_GroupSummary)[];
}
