import { deriveKeys } from '../ground/tokens/opaque-token.ts';
import { seal, unseal } from '../ground/tokens/sealed.ts';

const purpose = 'invitation-mails';

/**
 * The token in an invitation mail, with which its reader stops such mails to the address, or allows
 * them again. It names the address, sealed, and nothing is stored for it. It never expires, because
 * an addressee may mind years later.
 */
export type InvitationTokens = {
  of(address: string): string;
  /** Undefined for a token that was not made here. */
  addressOf(token: string): string | undefined;
};

export function createInvitationTokens(secret: string): InvitationTokens {
  const keys = deriveKeys(secret, purpose);
  return {
    of: (address) => seal(keys, purpose, { address }).toString('base64url'),
    addressOf: (token) => {
      try {
        const { address } = unseal(keys, purpose, Buffer.from(token, 'base64url'));
        return typeof address === 'string' ? address : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
