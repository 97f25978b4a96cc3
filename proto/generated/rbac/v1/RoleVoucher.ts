// Original file: rbac/v1/service.proto


/**
 * Who has mapped a role. One that has vouchers is newly given only if one of them could give it now.
 */
export interface RoleVoucher__Input {
  'roleId'?: (string);
  'mappedBy'?: (string);
  'isMappedByService'?: (boolean);
}

/**
 * Who has mapped a role. One that has vouchers is newly given only if one of them could give it now.
 */
export interface RoleVoucher {
  'roleId': (string);
  'mappedBy': (string);
  'isMappedByService': (boolean);
}
