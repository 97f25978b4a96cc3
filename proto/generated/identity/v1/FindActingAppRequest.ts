// Original file: identity/v1/service.proto


export interface FindActingAppRequest__Input {
  /**
   * where it acts: its project, or an organization that uses it
   */
  'tenant'?: (string);
  'id'?: (string);
  'appId'?: (string);
  /**
   * the person; empty for a subject that gives no consents
   */
  'userId'?: (string);
}

export interface FindActingAppRequest {
  /**
   * where it acts: its project, or an organization that uses it
   */
  'tenant': (string);
  'id': (string);
  'appId': (string);
  /**
   * the person; empty for a subject that gives no consents
   */
  'userId': (string);
}
