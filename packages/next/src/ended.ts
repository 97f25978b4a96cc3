/**
 * What ended while its token would still be good, as the cookie alone does not say it: sign-ins
 * here, by their own id, and sessions at Tessera, by `sid`.
 */
export type EndedSessions = {
  add(id: string, untilMs: number): void | Promise<void>;
  has(id: string): boolean | Promise<boolean>;
};

const mostEntries = 10_000;

/** For one process. What it has forgotten ends with the next refresh. */
export function endedInMemory(nowMs: () => number = Date.now): EndedSessions {
  const until = new Map<string, number>();
  return {
    add(id, untilMs) {
      for (const [known, endMs] of until) if (endMs <= nowMs() || until.size >= mostEntries) until.delete(known);
      until.set(id, untilMs);
    },
    has: (id) => (until.get(id) ?? 0) > nowMs(),
  };
}
