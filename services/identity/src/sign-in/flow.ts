/**
 * Stores a flow while the browser is at the provider. The key is 256 random bits, known to the
 * browser or the mail only; the store keeps its digest. A flow can be taken once: a state is valid
 * for one callback, a code for one exchange. It is sealed, so that write access to Redis signs in
 * as no person and read access shows no PKCE verifier.
 */

import type { Cache } from '../ground/cache/cache.ts';
import type { UpstreamSession } from '../ground/domain/connection.ts';
import { digest } from '../ground/tokens/digest.ts';
import { newOpaqueToken, type RotatedKey } from '../ground/tokens/opaque-token.ts';
import { seal, unseal } from '../ground/tokens/sealed.ts';
import type { Landing } from './domain/landing.ts';

export type FlowStore<Flow> = {
  /** Returns the key of the flow, which is kept `seconds` unless the call names a lifetime. */
  remember(flow: Flow, lifetimeSeconds?: number): Promise<string>;
  /** Deletes and returns the flow. Undefined when the key is unknown, used or expired. */
  take(key: string): Promise<Flow | undefined>;
  /** Whether it could be taken now. */
  has(key: string): Promise<boolean>;
  readonly seconds: number;
};

export function createFlowStore<Flow extends object>(
  cache: Pick<Cache, 'set' | 'take' | 'has'>,
  sealKey: RotatedKey,
  kind: string,
  seconds: number,
): FlowStore<Flow> {
  const keyOf = (key: string): string => `oauth:${kind}:${digest(key)}`;
  return {
    async remember(flow, lifetimeSeconds = seconds) {
      const key = newOpaqueToken();
      await cache.set(keyOf(key), seal(sealKey, keyOf(key), flow).toString('base64url'), lifetimeSeconds);
      return key;
    },
    async take(key) {
      const kept = await cache.take(keyOf(key));
      try {
        // Only `remember` can seal a value, so it has the type that was written.
        return kept === undefined ? undefined : (unseal(sealKey, keyOf(key), Buffer.from(kept, 'base64url')) as Flow);
      } catch {
        return undefined;
      }
    },
    has: (key) => cache.has(keyOf(key)),
    seconds,
  };
}

export type Action = 'login' | 'register' | 'connect' | 'confirm';

/** A sign-in to the platform, on its way to the provider and back. */
export type PlatformFlow = {
  readonly provider: string;
  readonly action: Action;
  readonly codeVerifier: string;
  readonly landing: Landing;
  /** Digest of the cookie of the browser that began the flow: only that browser can finish it. */
  readonly browser: string;
  readonly accountType: 'personal' | 'organization';
  /** The client may bind the one-time code to a secret of its own (RFC 7636, S256). */
  readonly codeChallenge?: string;
  /** When it began, if the person must sign in anew at the provider. */
  readonly freshSinceMs?: number;
  /** It may have been begun by a link of another site. */
  readonly isForeign?: boolean;
  /** connect and confirm: the person, and the session that requested it. */
  readonly connecting?: { readonly userId: string; readonly sessionId: string };
};

/**
 * A finished sign-in at a provider, until the frontend or the command line exchanges the code for a
 * session.
 */
export type SignInCode = {
  readonly userId: string;
  readonly methodId: string;
  readonly provider: string;
  readonly landing: Landing['kind'];
  readonly browser: string;
  readonly codeChallenge?: string;
  /** When the person proved who they are, as far as the provider says. */
  readonly authenticatedAtMs?: number;
  /** How they did it, as an organization's provider says. */
  readonly acr?: string;
  readonly upstream?: UpstreamSession;
  /** The session that this code confirms: it opens none. */
  readonly confirms?: string;
  /** By an organization's provider: the person may have to say that they want to be signed in. */
  readonly asks?: AskedToContinue;
};

type AskedToContinue = {
  readonly connection: string;
  readonly isForeign: boolean;
  /** The question was shown: this code was made for the answer. */
  readonly isShown?: boolean;
};

/** How long the address of a test may be opened. */
export const testStartSeconds = 600;

/** A test of an organization's connection, until its address is opened. */
export type ConnectionTestStart = {
  readonly testId: string;
  readonly connectionId: string;
  /** The page that shows the result, to who may read it. */
  readonly landing: string;
  /** The set-up link that began it: it goes on while that link can be used, in its browser. */
  readonly setUpLinkId?: string;
};

/** The same, on its way to the provider and back. No sign-in can be made of it. */
export type ConnectionTestFlow = ConnectionTestStart & {
  readonly provider: string;
  readonly codeVerifier: string;
  /** As in a platform flow. */
  readonly browser: string;
  /** Digest of the settings that are tested. */
  readonly settings: string;
};

type AppTarget = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The app's own `state`, returned unchanged. */
  readonly clientState?: string;
};

/** A sign-in to an app, on its way through a provider or through a mailbox. */
export type ProjectFlow = AppTarget &
  (
    | {
        readonly by: 'provider';
        readonly provider: string;
        readonly codeVerifier: string;
        /** As in a platform flow. */
        readonly browser: string;
      }
    | {
        /** Both factors were right; `provider` was the first. */
        readonly by: 'second-factor';
        readonly provider: string;
        readonly browser?: string;
        readonly userId: string;
        readonly methodId: string;
      }
    | { readonly by: 'email'; readonly email: string; readonly tokenDigest: string }
  );

/** What is remembered of a passkey's challenge until its answer comes. It is taken once. */
export type PasskeyChallenge = {
  readonly purpose: 'enroll' | 'sign-in' | 'second-factor' | 'confirm';
  readonly userId?: string;
};
