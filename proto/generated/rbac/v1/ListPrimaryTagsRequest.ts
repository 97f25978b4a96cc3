// Original file: rbac/v1/service.proto

import type { ProjectPlace__Input as _rbac_v1_ProjectPlace__Input, ProjectPlace as _rbac_v1_ProjectPlace } from '../../rbac/v1/ProjectPlace.ts';

export interface ListPrimaryTagsRequest__Input {
  'projects'?: (_rbac_v1_ProjectPlace__Input)[];
}

export interface ListPrimaryTagsRequest {
  'projects': (_rbac_v1_ProjectPlace)[];
}
