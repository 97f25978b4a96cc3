import { failures } from '@tessera/kernel/errors';
import { LRUCache } from 'lru-cache';

/** Counts the checks of each credential in this process. */
export type CredentialLimit = {
  /** Throws `rate-limited` when they do not fit into the minute; then none of them counts. */
  take(credential: string, checks: number): void;
};

const windowMs = 60_000;
const maxCredentials = 100_000;

type Window = { used: number; readonly endsAtMs: number };

export function createCredentialLimit(maxPerMinute: number, clock: () => number = () => performance.now()): CredentialLimit {
  const windows = new LRUCache<string, Window>({ max: maxCredentials });
  return {
    take(credential, checks) {
      const now = clock();
      const known = windows.get(credential);
      const window = known !== undefined && known.endsAtMs > now ? known : { used: 0, endsAtMs: now + windowMs };
      if (window.used + checks > maxPerMinute) throw failures.rateLimited(Math.max(1, Math.ceil((window.endsAtMs - now) / 1_000)));
      window.used += checks;
      if (window !== known) windows.set(credential, window);
    },
  };
}
