// Original file: tenancy/v1/service.proto


export interface AdmitMemberRequest__Input {
  'organizationId'?: (string);
  'address'?: (string);
  'userId'?: (string);
  'name'?: (string);
  'roleId'?: (string);
  /**
   * a row of the audit log, written in the same transaction when it makes a member
   */
  'auditJson'?: (string);
  '_auditJson'?: "auditJson";
}

export interface AdmitMemberRequest {
  'organizationId': (string);
  'address': (string);
  'userId': (string);
  'name': (string);
  'roleId': (string);
  /**
   * a row of the audit log, written in the same transaction when it makes a member
   */
  'auditJson'?: (string);
}
