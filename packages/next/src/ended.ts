/** Sessions that ended while their token would still be good: the cookie alone does not say it. */
export type EndedSessions = {
  add(sessionId: string, untilMs: number): void | Promise<void>;
  has(sessionId: string): boolean | Promise<boolean>;
};

const mostEntries = 10_000;

/** For one process. What it has forgotten ends with the next refresh. */
export function endedInMemory(nowMs: () => number = Date.now): EndedSessions {
  const until = new Map<string, number>();
  return {
    add(sessionId, untilMs) {
      for (const [id, endMs] of until) if (endMs <= nowMs() || until.size >= mostEntries) until.delete(id);
      until.set(sessionId, untilMs);
    },
    has: (sessionId) => (until.get(sessionId) ?? 0) > nowMs(),
  };
}
