const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Counts changes of tenants: a decision is stale when its tenant has changed since its request. */
export function createChanges(keepMs: number) {
  const changed = new Map<string, { version: number; at: number }>();
  let version = 0;
  let everythingAt = 0;

  /** Decisions expire after `keepMs`, so older changes are dropped. The map is in order of time. */
  const forget = (now: number): void => {
    for (const [id, { at }] of changed) {
      if (now - at <= keepMs) return;
      changed.delete(id);
    }
  };

  return {
    get version() {
      return version;
    },
    /** `tenantKey`: colon-joined ids of a tenant; one without ids stands for all tenants. */
    note(tenantKey: string): void {
      version += 1;
      const now = performance.now();
      forget(now);
      const ids = tenantKey.match(uuid);
      if (ids === null) everythingAt = version;
      for (const id of ids ?? []) {
        changed.delete(id);
        changed.set(id, { version, at: now });
      }
    },
    /** For when notices may have been lost: all decisions are stale. */
    noteEverything(): void {
      version += 1;
      everythingAt = version;
      changed.clear();
    },
    /** Whether a tenant of this scope has changed since that version. */
    since: (requested: number, scopeId: string): boolean =>
      everythingAt > requested || scopeId.split(':').some((id) => (changed.get(id)?.version ?? 0) > requested),
  };
}
