// Original file: tenancy/v1/service.proto


export interface Admission__Input {
  /**
   * The organization exists, and the operator has not suspended it.
   */
  'isOpen'?: (boolean);
  /**
   * The organization has proven the domain of the address.
   */
  'isDomainProven'?: (boolean);
  'isMember'?: (boolean);
  /**
   * The organization has proven any domain.
   */
  'hasProvenDomain'?: (boolean);
  /**
   * They left the organization or were removed, and no invitation has taken them back.
   */
  'hasLeft'?: (boolean);
  /**
   * No member, and the organization has no place for another one now.
   */
  'isFull'?: (boolean);
}

export interface Admission {
  /**
   * The organization exists, and the operator has not suspended it.
   */
  'isOpen': (boolean);
  /**
   * The organization has proven the domain of the address.
   */
  'isDomainProven': (boolean);
  'isMember': (boolean);
  /**
   * The organization has proven any domain.
   */
  'hasProvenDomain': (boolean);
  /**
   * They left the organization or were removed, and no invitation has taken them back.
   */
  'hasLeft': (boolean);
  /**
   * No member, and the organization has no place for another one now.
   */
  'isFull': (boolean);
}
