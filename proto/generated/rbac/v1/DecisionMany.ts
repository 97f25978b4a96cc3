// Original file: rbac/v1/authorization.proto

import type { Decision__Input as _rbac_v1_Decision__Input, Decision as _rbac_v1_Decision } from '../../rbac/v1/Decision.ts';

export interface DecisionMany__Input {
  'decisions'?: (_rbac_v1_Decision__Input)[];
}

export interface DecisionMany {
  'decisions': (_rbac_v1_Decision)[];
}
