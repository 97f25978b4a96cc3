// Original file: rbac/v1/service.proto

import type { MemberRole__Input as _rbac_v1_MemberRole__Input, MemberRole as _rbac_v1_MemberRole } from '../../rbac/v1/MemberRole.ts';

export interface ListMemberRolesResponse__Input {
  'roles'?: (_rbac_v1_MemberRole__Input)[];
}

export interface ListMemberRolesResponse {
  'roles': (_rbac_v1_MemberRole)[];
}
