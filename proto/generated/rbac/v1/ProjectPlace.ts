// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface ProjectPlace__Input {
  'parent'?: (_rbac_v1_Scope__Input | null);
  'projectId'?: (string);
}

export interface ProjectPlace {
  'parent': (_rbac_v1_Scope | null);
  'projectId': (string);
}
