// Original file: rbac/v1/service.proto

import type { OwnedOrganization__Input as _rbac_v1_OwnedOrganization__Input, OwnedOrganization as _rbac_v1_OwnedOrganization } from '../../rbac/v1/OwnedOrganization.ts';

export interface ListOwnedOrganizationsResponse__Input {
  'organizations'?: (_rbac_v1_OwnedOrganization__Input)[];
}

export interface ListOwnedOrganizationsResponse {
  'organizations': (_rbac_v1_OwnedOrganization)[];
}
