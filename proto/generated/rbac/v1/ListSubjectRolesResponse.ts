// Original file: rbac/v1/service.proto

import type { SubjectRoles__Input as _rbac_v1_SubjectRoles__Input, SubjectRoles as _rbac_v1_SubjectRoles } from '../../rbac/v1/SubjectRoles.ts';

export interface ListSubjectRolesResponse__Input {
  'subjects'?: (_rbac_v1_SubjectRoles__Input)[];
}

export interface ListSubjectRolesResponse {
  'subjects': (_rbac_v1_SubjectRoles)[];
}
