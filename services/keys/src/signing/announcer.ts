import type { Notices } from '@tessera/kernel/notices';
import type { Revocation } from '../domain/signing-key.ts';
import { issuerOf, type SigningScope } from '../domain/signing-scope.ts';

export type Announcer = {
  /** After the commit: these are refused on this instance at once, on the others when the notice arrives or at their next pull. */
  revoked(revocations: readonly Revocation[]): void;
  /** After the commit: the keys of this scope are not what they were. */
  keysChanged(scope: SigningScope): void;
};

/** Our own caches hear it first: a notice reaches this process' subscribers before `publish` returns. */
export function createAnnouncer(notices: Pick<Notices, 'publish'>, appUrl: string): Announcer {
  return {
    revoked(revocations) {
      for (const revocation of revocations) notices.publish('revocation', revocation);
    },
    keysChanged: (scope) => notices.publish('keys-rotated', { issuer: issuerOf(scope, appUrl) }),
  };
}
