// Original file: rbac/v1/service.proto

import type { TagSummary__Input as _rbac_v1_TagSummary__Input, TagSummary as _rbac_v1_TagSummary } from '../../rbac/v1/TagSummary.ts';

export interface EntityTags__Input {
  'entityId'?: (string);
  'tags'?: (_rbac_v1_TagSummary__Input)[];
  'primaryTagId'?: (string);
  '_primaryTagId'?: "primaryTagId";
}

export interface EntityTags {
  'entityId': (string);
  'tags': (_rbac_v1_TagSummary)[];
  'primaryTagId'?: (string);
}
