// Original file: identity/v1/service.proto


export interface FindUserByEmailResponse__Input {
  'userId'?: (string);
  'name'?: (string);
  'isVerified'?: (boolean);
  /**
   * the address wants no invitation mails
   */
  'refusesInvitations'?: (boolean);
  /**
   * the account holds this address (decision 15); absent from a version before
   */
  'isHeld'?: (boolean);
  /**
   * several had proven the address before decision 15
   */
  'isDisputed'?: (boolean);
  '_userId'?: "userId";
  '_isHeld'?: "isHeld";
  '_isDisputed'?: "isDisputed";
}

export interface FindUserByEmailResponse {
  'userId'?: (string);
  'name': (string);
  'isVerified': (boolean);
  /**
   * the address wants no invitation mails
   */
  'refusesInvitations': (boolean);
  /**
   * the account holds this address (decision 15); absent from a version before
   */
  'isHeld'?: (boolean);
  /**
   * several had proven the address before decision 15
   */
  'isDisputed'?: (boolean);
}
