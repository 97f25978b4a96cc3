import type { SignedIn } from '../../sign-in/provider-identity.ts';
import type { ProtocolContext } from '../context.ts';
import type { PlatformFlow } from '../flow.ts';

/**
 * A one-time code, which the frontend or the command line exchanges for a session. Tokens are never
 * part of a URL.
 */
export function issueCode({ userId, methodId }: SignedIn, flow: PlatformFlow, { deps }: ProtocolContext): Promise<string> {
  const { provider, landing, browser, codeChallenge, action, connecting } = flow;
  const bound = {
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    ...(action === 'confirm' && connecting !== undefined ? { confirms: connecting.sessionId } : {}),
  };
  return deps.oauth.codes.remember({ userId, methodId, provider, landing: landing.kind, browser, ...bound });
}
