// Original file: rbac/v1/service.proto

import type { RoleSummary__Input as _rbac_v1_RoleSummary__Input, RoleSummary as _rbac_v1_RoleSummary } from '../../rbac/v1/RoleSummary.ts';

export interface SubjectRoles__Input {
  'userId'?: (string);
  'roles'?: (_rbac_v1_RoleSummary__Input)[];
  /**
   * what Owners and Admins record of the user in this scope
   */
  'metadataJson'?: (string);
  /**
   * changes whenever the roles or the metadata do
   */
  'version'?: (string);
  /**
   * of a member of an organization who is blocked there
   */
  'blockedAt'?: (string);
  '_blockedAt'?: "blockedAt";
}

export interface SubjectRoles {
  'userId': (string);
  'roles': (_rbac_v1_RoleSummary)[];
  /**
   * what Owners and Admins record of the user in this scope
   */
  'metadataJson': (string);
  /**
   * changes whenever the roles or the metadata do
   */
  'version': (string);
  /**
   * of a member of an organization who is blocked there
   */
  'blockedAt'?: (string);
}
