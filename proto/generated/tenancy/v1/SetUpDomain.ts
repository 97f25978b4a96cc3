// Original file: tenancy/v1/service.proto


export interface SetUpDomain__Input {
  'id'?: (string);
  'domain'?: (string);
  /**
   * pending, verified, failing, lost
   */
  'status'?: (string);
  'recordName'?: (string);
  'recordValue'?: (string);
  /**
   * why the last check did not succeed
   */
  'problem'?: (string);
  '_problem'?: "problem";
}

export interface SetUpDomain {
  'id': (string);
  'domain': (string);
  /**
   * pending, verified, failing, lost
   */
  'status': (string);
  'recordName': (string);
  'recordValue': (string);
  /**
   * why the last check did not succeed
   */
  'problem'?: (string);
}
