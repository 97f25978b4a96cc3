// Original file: identity/v1/service.proto


export interface FindUserByEmailResponse__Input {
  'userId'?: (string);
  'name'?: (string);
  'isVerified'?: (boolean);
  /**
   * the address wants no invitation mails
   */
  'refusesInvitations'?: (boolean);
  '_userId'?: "userId";
}

export interface FindUserByEmailResponse {
  'userId'?: (string);
  'name': (string);
  'isVerified': (boolean);
  /**
   * the address wants no invitation mails
   */
  'refusesInvitations': (boolean);
}
