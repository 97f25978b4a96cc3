// Original file: rbac/v1/service.proto

import type { EntityTags__Input as _rbac_v1_EntityTags__Input, EntityTags as _rbac_v1_EntityTags } from '../../rbac/v1/EntityTags.ts';

export interface ListEntityTagsResponse__Input {
  'entities'?: (_rbac_v1_EntityTags__Input)[];
}

export interface ListEntityTagsResponse {
  'entities': (_rbac_v1_EntityTags)[];
}
