// Original file: rbac/v1/authorization.proto

import type { FoundAction__Input as _rbac_v1_FoundAction__Input, FoundAction as _rbac_v1_FoundAction } from '../../rbac/v1/FoundAction.ts';

export interface FindActionsResponse__Input {
  'actions'?: (_rbac_v1_FoundAction__Input)[];
  'nextCursor'?: (string);
}

export interface FindActionsResponse {
  'actions': (_rbac_v1_FoundAction)[];
  'nextCursor': (string);
}
