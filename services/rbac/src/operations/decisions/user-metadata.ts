import type { Json } from '../../domain/condition.ts';

/** Users' metadata for the few conditions that read it; never older than a second, and last known inside a transaction. */
export type UserMetadata = {
  get(userId: string, options?: { fresh?: boolean }): Promise<Json>;
  /** Without asking anybody: what was read last. */
  lastKnown(userId: string): Json | undefined;
};

type Options = {
  /** Asks identity; one item, batched by the client. An unknown user has no metadata. */
  readonly load: (userId: string) => Promise<Json>;
  readonly maxAgeMs?: number;
  readonly maxEntries?: number;
  readonly clock?: () => number;
};

export function createUserMetadata({ load, maxAgeMs = 900, maxEntries = 10_000, clock = () => performance.now() }: Options): UserMetadata {
  const known = new Map<string, { readonly at: number; readonly metadata: Json }>();
  return {
    async get(userId, { fresh = false } = {}) {
      const entry = known.get(userId);
      const asked = clock();
      if (!fresh && entry && asked - entry.at <= maxAgeMs) return entry.metadata;
      const metadata = await load(userId);
      known.delete(userId);
      known.set(userId, { at: asked, metadata });
      const oldest = known.size > maxEntries ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return metadata;
    },
    lastKnown: (userId) => known.get(userId)?.metadata,
  };
}
