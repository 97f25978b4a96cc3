// Original file: rbac/v1/service.proto


export interface ActionVerdict__Input {
  'action'?: (string);
  /**
   * allowed | not-found | escalation
   */
  'verdict'?: (string);
}

export interface ActionVerdict {
  'action': (string);
  /**
   * allowed | not-found | escalation
   */
  'verdict': (string);
}
