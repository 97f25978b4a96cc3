import type { UpstreamSession } from '../../ground/domain/connection.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import type { SignedIn } from '../provider-identity.ts';

/**
 * The person first reads the page that names the port. Longer than a code of the frontend, because
 * only the program that holds the verifier of the challenge can exchange it (RFC 7636).
 */
const programCodeSeconds = 300;

type Proven = SignedIn & {
  readonly authenticatedAtMs: number;
  /** The name of an organization's provider. */
  readonly connection?: string | undefined;
  readonly acr?: string | undefined;
  /** At an organization's provider. */
  readonly upstream?: UpstreamSession | undefined;
};

/**
 * A one-time code, which the frontend or the command line exchanges for a session. Tokens are never
 * part of a URL.
 */
export function issueCode(
  { userId, methodId, authenticatedAtMs, connection, acr, upstream }: Proven,
  flow: PlatformFlow,
  { deps }: ProtocolContext,
): Promise<string> {
  const { provider, landing, browser, codeChallenge, action, connecting, isForeign = true } = flow;
  const bound = {
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    ...(acr === undefined ? {} : { acr }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(action === 'confirm' && connecting !== undefined ? { confirms: connecting.sessionId } : {}),
    ...(connection === undefined ? {} : { asks: { connection, isForeign } }),
  };
  const isBoundToProgram = landing.kind === 'cli' && codeChallenge !== undefined;
  const code = { userId, methodId, authenticatedAtMs, provider, landing: landing.kind, browser, ...bound };
  return deps.codes.remember(code, isBoundToProgram ? programCodeSeconds : undefined);
}
