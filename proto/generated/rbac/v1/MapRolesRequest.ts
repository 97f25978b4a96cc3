// Original file: rbac/v1/service.proto

import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';
import type { RoleVoucher__Input as _rbac_v1_RoleVoucher__Input, RoleVoucher as _rbac_v1_RoleVoucher } from '../../rbac/v1/RoleVoucher.ts';

export interface MapRolesRequest__Input {
  'scope'?: (_rbac_v1_Scope__Input | null);
  'userId'?: (string);
  /**
   * connection:<id>
   */
  'source'?: (string);
  'roleIds'?: (string)[];
  'vouchers'?: (_rbac_v1_RoleVoucher__Input)[];
}

export interface MapRolesRequest {
  'scope': (_rbac_v1_Scope | null);
  'userId': (string);
  /**
   * connection:<id>
   */
  'source': (string);
  'roleIds': (string)[];
  'vouchers': (_rbac_v1_RoleVoucher)[];
}
