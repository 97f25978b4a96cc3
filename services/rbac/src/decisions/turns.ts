/**
 * Splits long work into slices. A caller that awaits its turn continues after the events that have
 * arrived meanwhile, and after all callers that were waiting before it. Only one caller runs per
 * turn of the event loop.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
