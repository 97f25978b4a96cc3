import type { Notices } from '@tessera/kernel/notices';
import type { Revocation } from '../domain/signing-key.ts';
import { issuerOf, type SigningScope } from '../domain/signing-scope.ts';

/**
 * Notices to all services, published after the commit. Subscribers in this process get them before
 * the call returns.
 */
export type KeyNotices = {
  /**
   * Verifiers refuse these at once on this instance, elsewhere when the notice arrives or at their
   * next pull.
   */
  publishRevocations(revocations: readonly Revocation[]): void;
  /** Caches drop the keys of this scope. */
  publishKeysChanged(scope: SigningScope): void;
};

export function createKeyNotices(notices: Pick<Notices, 'publish'>, appUrl: string): KeyNotices {
  return {
    publishRevocations(revocations) {
      for (const revocation of revocations) notices.publish('revocation', revocation);
    },
    publishKeysChanged: (scope) => notices.publish('keys-rotated', { issuer: issuerOf(scope, appUrl) }),
  };
}
