// Original file: rbac/v1/service.proto


export interface GrantVerdict__Input {
  'roleId'?: (string);
  /**
   * allowed | not-found | above-own-rank | escalation
   */
  'verdict'?: (string);
}

export interface GrantVerdict {
  'roleId': (string);
  /**
   * allowed | not-found | above-own-rank | escalation
   */
  'verdict': (string);
}
