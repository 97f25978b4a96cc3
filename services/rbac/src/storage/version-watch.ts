import type { Database } from '@tessera/kernel/postgres';
import { listChanged, type TenantVersion } from './tenants.ts';

/** Reads regularly which tenants changed, so that a lost notice costs a second and not more. */
export type VersionWatch = {
  /** Whether the last look is recent enough to answer from memory. */
  isCurrent(): boolean;
  /** Reports all that changed since the last look. Callers at the same time share one. */
  look(): Promise<void>;
  start(): void;
  stop(): void;
};

export type WatchOptions = {
  readonly database: Database;
  readonly lookEveryMs: number;
  readonly staleAfterMs: number;
  readonly clock: () => number;
  readonly logger: { warn(details: object, message: string): void } | undefined;
  readonly onChange: (change: TenantVersion) => void;
  /** The last look was so long ago that reading everything again is cheaper. */
  readonly onLongPause: () => void;
};

const longestPauseMs = 60_000;

export function createVersionWatch({
  database,
  lookEveryMs,
  staleAfterMs,
  clock,
  logger,
  onChange,
  onLongPause,
}: WatchOptions): VersionWatch {
  const startedAt = clock();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  // The timer skips its look when nothing was asked since the last one.
  let isUsed = false;

  const lookNow = async (): Promise<void> => {
    const beganAt = clock();
    const pauseMs = beganAt - Math.max(lookedAt, startedAt);
    if (pauseMs > longestPauseMs) onLongPause();
    for (const change of await listChanged(database, Math.min(pauseMs, longestPauseMs) / 1_000)) onChange(change);
    lookedAt = beganAt;
  };
  const look = (): Promise<void> => {
    looking ??= lookNow().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    isCurrent() {
      isUsed = true;
      return clock() - lookedAt <= staleAfterMs;
    },
    look,
    start() {
      timer ??= setInterval(() => {
        if (!isUsed) return;
        isUsed = false;
        look().catch((error: unknown) => logger?.warn({ err: error }, 'the versions of the tenants could not be read'));
      }, lookEveryMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
