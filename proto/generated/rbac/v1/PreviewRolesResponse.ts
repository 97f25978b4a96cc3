// Original file: rbac/v1/service.proto

import type { RolesPreview__Input as _rbac_v1_RolesPreview__Input, RolesPreview as _rbac_v1_RolesPreview } from '../../rbac/v1/RolesPreview.ts';

export interface PreviewRolesResponse__Input {
  /**
   * in the order of the request
   */
  'people'?: (_rbac_v1_RolesPreview__Input)[];
}

export interface PreviewRolesResponse {
  /**
   * in the order of the request
   */
  'people': (_rbac_v1_RolesPreview)[];
}
