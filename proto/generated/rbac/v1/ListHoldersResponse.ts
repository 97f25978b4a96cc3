// Original file: rbac/v1/service.proto

import type { SubjectRoles__Input as _rbac_v1_SubjectRoles__Input, SubjectRoles as _rbac_v1_SubjectRoles } from '../../rbac/v1/SubjectRoles.ts';

export interface ListHoldersResponse__Input {
  'holders'?: (_rbac_v1_SubjectRoles__Input)[];
  'totalCount'?: (number);
}

export interface ListHoldersResponse {
  'holders': (_rbac_v1_SubjectRoles)[];
  'totalCount': (number);
}
