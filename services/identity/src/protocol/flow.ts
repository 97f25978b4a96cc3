/**
 * What is remembered of a flow while the browser is away. The key is 256 random bits that only the browser (or the mail) carries; the
 * store knows its digest. Whoever comes first takes the flow: a state is good for one callback, a code for one exchange.
 */
import type { Cache } from '@tessera/kernel/cache';
import type { Landing } from '../domain/oauth/landing.ts';
import { digest } from '../tokens/digest.ts';
import { newOpaqueToken } from '../tokens/opaque-token.ts';

export type FlowStore<Flow> = {
  /** The key to it, told once. */
  remember(flow: Flow): Promise<string>;
  /** Undefined when the key is unknown, was taken before, or is too old. */
  take(key: string): Promise<Flow | undefined>;
  readonly seconds: number;
};

export function createFlowStore<Flow extends object>(cache: Cache, kind: string, seconds: number): FlowStore<Flow> {
  const keyOf = (key: string): string => `oauth:${kind}:${digest(key)}`;
  return {
    async remember(flow) {
      const key = newOpaqueToken();
      await cache.set(keyOf(key), JSON.stringify(flow), seconds);
      return key;
    },
    async take(key) {
      const kept = await cache.take(keyOf(key));
      // Only `remember` writes below this key, so what is read has the shape of what was written.
      return kept === undefined ? undefined : (JSON.parse(kept) as Flow);
    },
    seconds,
  };
}

export type Action = 'login' | 'register' | 'connect';

/** A sign-in to the platform, on its way to the provider and back. */
export type PlatformFlow = {
  readonly provider: string;
  readonly action: Action;
  readonly codeVerifier: string;
  readonly landing: Landing;
  /** Digest of the cookie of the browser that began it: nobody else can end it. */
  readonly browser: string;
  readonly accountType: 'personal' | 'organization';
  /** Whoever began the flow may bind its one-time code to a secret of their own (RFC 7636, S256). */
  readonly codeChallenge?: string;
  /** connect: whose account the method is added to, and the session that asked. */
  readonly connecting?: { readonly userId: string; readonly sessionId: string };
};

/** Somebody has signed in at a provider; the frontend or the command line has not asked for the session yet. */
export type SignInCode = {
  readonly userId: string;
  readonly methodId: string;
  readonly provider: string;
  readonly landing: Landing['kind'];
  readonly browser: string;
  readonly codeChallenge?: string;
};

type ToApp = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The app's own, given back as it came. */
  readonly clientState?: string;
};

/** A sign-in to an app, on its way through a provider or through a mailbox. */
export type ProjectFlow = ToApp &
  (
    | {
        readonly by: 'provider';
        readonly provider: string;
        readonly codeVerifier: string;
        /** As of a platform flow. */
        readonly browser: string;
      }
    | { readonly by: 'email'; readonly email: string; readonly tokenDigest: string }
  );
