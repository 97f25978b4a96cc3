// Original file: rbac/v1/service.proto

import type { PrimaryTag__Input as _rbac_v1_PrimaryTag__Input, PrimaryTag as _rbac_v1_PrimaryTag } from '../../rbac/v1/PrimaryTag.ts';

export interface ListPrimaryTagsResponse__Input {
  'tags'?: (_rbac_v1_PrimaryTag__Input)[];
}

export interface ListPrimaryTagsResponse {
  'tags': (_rbac_v1_PrimaryTag)[];
}
