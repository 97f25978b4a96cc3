// Original file: rbac/v1/service.proto

import type { ActionVerdict__Input as _rbac_v1_ActionVerdict__Input, ActionVerdict as _rbac_v1_ActionVerdict } from '../../rbac/v1/ActionVerdict.ts';

export interface CheckActionsResponse__Input {
  /**
   * in the order of the request
   */
  'verdicts'?: (_rbac_v1_ActionVerdict__Input)[];
}

export interface CheckActionsResponse {
  /**
   * in the order of the request
   */
  'verdicts': (_rbac_v1_ActionVerdict)[];
}
