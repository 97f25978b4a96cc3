// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { MappedPerson__Input as _rbac_v1_MappedPerson__Input, MappedPerson as _rbac_v1_MappedPerson } from '../../rbac/v1/MappedPerson.ts';

export interface PreviewRolesRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  'people'?: (_rbac_v1_MappedPerson__Input)[];
}

export interface PreviewRolesRequest {
  'scope': (_rbac_v1_Scope | null);
  'people': (_rbac_v1_MappedPerson)[];
}
