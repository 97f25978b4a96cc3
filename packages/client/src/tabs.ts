export type TabMessage = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'signed-out' } | { readonly kind: 'ask' };

export type Tabs = {
  /** Runs the work in one tab at a time. `waited`: another tab was first. */
  exclusive<Result>(work: (waited: boolean) => Promise<Result>): Promise<Result>;
  tell(message: TabMessage): void;
  /** Whether a tab has signed out since the last sign-in: then there is no session to ask for. */
  readonly isSignedOut: boolean;
  close(): void;
};

/** One process or one page: nothing to agree on. */
export const alone: Tabs = { exclusive: (work) => work(false), tell: () => undefined, isSignedOut: false, close: () => undefined };

/** The tabs of one origin: a lock (Web Locks) and a channel, where they exist. */
export function openTabs(name: string, listen: (message: TabMessage) => void): Tabs {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name);
  channel?.addEventListener('message', (event) => listen((event as unknown as { readonly data: TabMessage }).data));
  const storage = localStorageOf();
  const locks = globalThis.navigator?.locks;
  return {
    exclusive: async (work) => {
      if (locks === undefined) return work(false);
      let waited = false;
      return locks.request(name, { ifAvailable: true }, async (lock) => {
        if (lock !== null) return work(waited);
        waited = true;
        return locks.request(name, () => work(waited));
      });
    },
    tell: (message) => {
      if (message.kind === 'signed-out') storage?.setItem(name, message.kind);
      if (message.kind === 'token') storage?.removeItem(name);
      channel?.postMessage(message);
    },
    get isSignedOut() {
      return storage?.getItem(name) === 'signed-out';
    },
    close: () => channel?.close(),
  };
}

type Store = { getItem(name: string): string | null; setItem(name: string, value: string): void; removeItem(name: string): void };

/** It holds one word, never a token. A browser may refuse it. Node has none without a file. */
function localStorageOf(): Store | undefined {
  try {
    return 'document' in globalThis ? (globalThis as { readonly localStorage?: Store }).localStorage : undefined;
  } catch {
    return undefined;
  }
}
