const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Which tenants changed, and in what order relative to the questions that were asked about them.
 * An answer carries the version at which its question was asked, so one that was overtaken by a change is known for stale.
 */
export function createChanges(keepMs: number) {
  const changed = new Map<string, { version: number; at: number }>();
  let version = 0;
  let everythingAt = 0;

  /** Answers die of age after `keepMs`, so older changes need not be remembered. The map is in order of time. */
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
    /** `tenantKey` holds the id of an account, organization or project, or several joined by colons; one without any concerns everybody. */
    note(tenantKey: string): void {
      version += 1;
      const now = performance.now();
      forget(now);
      const ids = tenantKey.match(UUID);
      if (ids === null) everythingAt = version;
      for (const id of ids ?? []) {
        changed.delete(id);
        changed.set(id, { version, at: now });
      }
    },
    /** Notices may have been lost. */
    noteEverything(): void {
      version += 1;
      everythingAt = version;
      changed.clear();
    },
    /** Whether the account, organization or project of this scope has changed since that version. */
    since: (asked: number, scopeId: string): boolean =>
      everythingAt > asked || scopeId.split(':').some((id) => (changed.get(id)?.version ?? 0) > asked),
  };
}
