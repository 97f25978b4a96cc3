// Original file: tenancy/v1/service.proto


export interface Admitted__Input {
  /**
   * admitted, left (they were one before), member (they were one), closed (as is_open), domain (as is_domain_proven), full (the quota)
   */
  'outcome'?: (string);
}

export interface Admitted {
  /**
   * admitted, left (they were one before), member (they were one), closed (as is_open), domain (as is_domain_proven), full (the quota)
   */
  'outcome': (string);
}
