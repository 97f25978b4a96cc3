/**
 * For long work in slices: whoever gives way goes on when everything that has arrived meanwhile was heard, and after all who gave way
 * before. However many there are, one of them works between two looks at what arrives.
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
