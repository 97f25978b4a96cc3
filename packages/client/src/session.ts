import { TesseraError } from './errors.ts';
import { alone, openTabs, type TabMessage } from './tabs.ts';

export type Tokens = { readonly accessToken: string; readonly refreshToken?: string | undefined };
export type SessionState = 'unknown' | 'signed-in' | 'signed-out';

export type Session = {
  /** `unknown` until the first request or `token()` has asked the server. */
  readonly state: SessionState;
  /** The person who is signed in, as the token says. */
  readonly userId: string | undefined;
  /** An access token that is still good, from memory or by a refresh; undefined when signed out. */
  token(): Promise<string | undefined>;
  /** A new access token, for example after the address was verified. One refresh for all tabs. */
  refresh(): Promise<string | undefined>;
  /** Takes over the tokens of a sign-in. */
  start(tokens: Tokens): void;
  /** Forgets the session here and in the other tabs. The server still has it. */
  forget(): void;
  /** Calls back after every change of the state or the token; answers how to stop. */
  subscribe(listener: (state: SessionState) => void): () => void;
  /** Stops listening to the other tabs. */
  close(): void;
};

export type SessionOptions = {
  /** Gets new tokens; undefined when there is nothing to get them with. */
  readonly renew: (refreshToken: string | undefined) => Promise<Tokens | undefined>;
  /** The name that tabs share; without one this client is alone. */
  readonly sharedName?: string | undefined;
};

type Held = { readonly token: string; readonly userId: string | undefined; readonly goodUntilMs: number };

const marginMs = 10_000;
/** How long an answer of another tab may take. */
const askMs = 40;

/** Keeps the access token in memory. However many callers need a new one, it is got once. */
export function createSession({ renew, sharedName }: SessionOptions): Session {
  let held: Held | undefined;
  let state: SessionState = 'unknown';
  let refreshToken: string | undefined;
  let pending: Promise<string | undefined> | undefined;
  /** Counts sign-ins and sign-outs: what a renewal from before the last one brings is late. */
  let turn = 0;
  let hasAsked = sharedName === undefined;
  let asking: Promise<void> | undefined;
  const listeners = new Set<(state: SessionState) => void>();
  const tabs = sharedName === undefined ? alone : openTabs(sharedName, hear);

  function become(next: SessionState, token: string | undefined): void {
    const before = held?.userId;
    held = token === undefined ? undefined : heldOf(token);
    if (next !== state || held?.userId !== before) turn += 1;
    state = next;
    for (const listener of listeners) listener(next);
  }

  function hear(message: TabMessage): void {
    if (message.kind === 'token') become('signed-in', message.token);
    else if (message.kind === 'signed-out') become('signed-out', undefined);
    else if (held !== undefined && isGood(held)) tabs.tell({ kind: 'token', token: held.token });
  }

  /** Until another tab has said something, or for a moment. */
  function hearOthers(): Promise<void> {
    return new Promise((done) => {
      const finish = () => {
        clearTimeout(timer);
        listeners.delete(finish);
        done();
      };
      const timer = setTimeout(finish, askMs);
      listeners.add(finish);
    });
  }

  /** Once, however many requests begin at the same time. */
  async function askOthers(): Promise<void> {
    tabs.tell({ kind: 'ask' });
    await hearOthers();
    hasAsked = true;
    if (state === 'unknown' && tabs.isSignedOut) become('signed-out', undefined);
  }

  async function renewOnce(): Promise<string | undefined> {
    const before = held?.token;
    return tabs.exclusive(async (waited) => {
      if (waited) await hearOthers();
      if (waited && (state === 'signed-out' || (held !== undefined && held.token !== before))) return held?.token;
      const asked = turn;
      const tokens = await renew(refreshToken).catch((error: unknown) => {
        if (error instanceof TesseraError && error.status === 401) return undefined;
        throw error;
      });
      if (turn !== asked) return held?.token;
      if (tokens === undefined) session.forget();
      else session.start(tokens);
      return held?.token;
    });
  }

  const session: Session = {
    get state() {
      return state;
    },
    get userId() {
      return held?.userId;
    },
    async token() {
      if (held !== undefined && isGood(held)) return held.token;
      if (state === 'signed-out') return undefined;
      if (!hasAsked) {
        asking ??= askOthers();
        await asking;
        return session.token();
      }
      return session.refresh();
    },
    refresh() {
      pending ??= renewOnce().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    start(tokens) {
      turn += 1;
      refreshToken = tokens.refreshToken;
      hasAsked = true;
      become('signed-in', tokens.accessToken);
      tabs.tell({ kind: 'token', token: tokens.accessToken });
    },
    forget() {
      refreshToken = undefined;
      become('signed-out', undefined);
      tabs.tell({ kind: 'signed-out' });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => tabs.close(),
  };
  return session;
}

function isGood({ goodUntilMs }: Held): boolean {
  return Date.now() < goodUntilMs;
}

/** The token's own lifetime, so that a wrong clock here does not matter. */
function heldOf(token: string): Held {
  const { sub, exp = 0, iat = 0 } = claimsOf(token);
  return { token, userId: sub, goodUntilMs: Date.now() + (exp - iat) * 1_000 - marginMs };
}

function claimsOf(token: string): { readonly sub?: string; readonly exp?: number; readonly iat?: number } {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(atob(payload));
  } catch {
    return {};
  }
}
