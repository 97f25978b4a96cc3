import type { Json } from '@tessera/rules/condition';
import { LRUCache } from 'lru-cache';

/** Users' metadata, for the few conditions that read it. */
export type UserMetadata = {
  /** At most a second old; `fresh` skips the cache. */
  get(userId: string, options?: { fresh?: boolean }): Promise<Json>;
  /** The metadata that was read last, without a request. */
  lastKnown(userId: string): Json | undefined;
};

type Options = {
  /** Asks identity. An unknown user has no metadata. */
  readonly load: (userId: string) => Promise<Json>;
  readonly maxAgeMs?: number;
  readonly maxEntries?: number;
  readonly clock?: () => number;
};

type Known = { readonly askedAt: number; readonly metadata: Json };

export function createUserMetadata({ load, maxAgeMs = 900, maxEntries = 10_000, clock = () => performance.now() }: Options): UserMetadata {
  const known = new LRUCache<string, Known>({ max: maxEntries });
  return {
    async get(userId, { fresh = false } = {}) {
      const entry = known.get(userId);
      const askedAt = clock();
      if (!fresh && entry && askedAt - entry.askedAt <= maxAgeMs) return entry.metadata;
      const metadata = await load(userId);
      known.set(userId, { askedAt, metadata });
      return metadata;
    },
    lastKnown: (userId) => known.get(userId)?.metadata,
  };
}
