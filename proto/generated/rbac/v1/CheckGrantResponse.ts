// Original file: rbac/v1/service.proto

import type { GrantVerdict__Input as _rbac_v1_GrantVerdict__Input, GrantVerdict as _rbac_v1_GrantVerdict } from '../../rbac/v1/GrantVerdict.ts';

export interface CheckGrantResponse__Input {
  'verdicts'?: (_rbac_v1_GrantVerdict__Input)[];
}

export interface CheckGrantResponse {
  'verdicts': (_rbac_v1_GrantVerdict)[];
}
