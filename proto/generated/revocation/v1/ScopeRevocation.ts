// Original file: revocation/v1/service.proto


/**
 * All tokens of one scope: an organization that uses another's project. Apart from the others, because a reader from before refuses kinds that it
 * does not know.
 */
export interface ScopeRevocation__Input {
  /**
   * <organization>:<project>
   */
  'value'?: (string);
  'before'?: (string);
  'expiresAt'?: (string);
}

/**
 * All tokens of one scope: an organization that uses another's project. Apart from the others, because a reader from before refuses kinds that it
 * does not know.
 */
export interface ScopeRevocation {
  /**
   * <organization>:<project>
   */
  'value': (string);
  'before': (string);
  'expiresAt': (string);
}
