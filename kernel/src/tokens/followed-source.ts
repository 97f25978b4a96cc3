import type { RevocationSource } from './revocations.ts';

type Options = {
  readonly source: RevocationSource;
  readonly pullSeconds: number;
  readonly clock: () => number;
  readonly learn: (entry: object) => boolean;
  readonly onPulled: () => void;
  readonly onFailed: (error: unknown) => void;
};

export type FollowedSource = {
  /** Pulls now, or right after the pull that is running. */
  pull(): Promise<void>;
  stop(): void;
  readonly first: Promise<void>;
  readonly pulledAt: number;
};

const retryMs = 250;

export function followSource({ source, pullSeconds, clock, learn, onPulled, onFailed }: Options): FollowedSource {
  const first = Promise.withResolvers<void>();
  let pulledAt = Number.NEGATIVE_INFINITY;
  let cursor = '';
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isPulling = false;
  let isPullWanted = false;
  let isStopped = false;

  async function pullPages(): Promise<void> {
    const startedAt = clock();
    for (;;) {
      const page = await source.list({ cursor });
      const ofScopes = page.scopes.map((entry) => ({ ...entry, kind: 'scope' }));
      const changes = [...page.revocations, ...ofScopes].filter(learn).length;
      cursor = page.cursor;
      if (changes === 0) break;
    }
    pulledAt = startedAt;
    failures = 0;
    first.resolve();
  }

  /** Soon after a failure: a second one would end `fresh`, and all requests be refused. */
  function nextInMs(): number {
    if (isPullWanted) return 0;
    if (pulledAt === Number.NEGATIVE_INFINITY) return retryMs;
    const regularMs = pullSeconds * 1000 * (0.75 + Math.random() / 2);
    return failures === 0 ? regularMs : Math.min(regularMs, retryMs * 2 ** failures);
  }

  async function pull(): Promise<void> {
    clearTimeout(timer);
    isPullWanted = isPulling;
    if (isStopped || isPulling) return;
    isPulling = true;
    await pullPages().catch((error: unknown) => {
      failures += 1;
      onFailed(error);
    });
    isPulling = false;
    onPulled();
    if (!isStopped) timer = setTimeout(pull, nextInMs()).unref();
  }

  return {
    pull,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    first: first.promise,
    get pulledAt() {
      return pulledAt;
    },
  };
}
