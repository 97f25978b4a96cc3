import { LRUCache } from 'lru-cache';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Counts changes of tenants: a decision is stale when its tenant has changed since its request. */
export function createChanges(keepMs: number) {
  let version = 0;
  let everythingAt = 0;
  // Decisions expire after `keepMs`, so older changes do not matter.
  const changed = new LRUCache<string, number>({ max: 100_000, ttl: keepMs + 1_000, dispose: noteLoss });

  function noteLoss(lost: number, _id: string, reason: string): void {
    if (reason === 'evict') everythingAt = Math.max(everythingAt, lost);
  }

  return {
    get version() {
      return version;
    },
    /** `tenantKey`: colon-joined ids of a tenant; one without ids stands for all tenants. */
    note(tenantKey: string): void {
      version += 1;
      const ids = tenantKey.match(uuid);
      if (ids === null) everythingAt = version;
      for (const id of ids ?? []) changed.set(id, version);
    },
    noteEverything(): void {
      version += 1;
      everythingAt = version;
    },
    since: (requested: number, scopeId: string): boolean =>
      everythingAt > requested || scopeId.split(':').some((id) => (changed.get(id) ?? 0) > requested),
  };
}
