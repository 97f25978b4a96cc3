type Log = { error(details: object, message: string): void; warn(details: object, message: string): void };

/** Work behind an answer that must not show, in content or time, what the work finds. Bounded; waited for when the service stops. */
export type Background = { run(name: string, work: () => Promise<void>): void; settle(): Promise<void> };

const mostAtOnce = 200;

export function createBackground(logger: Log): Background {
  const running = new Set<Promise<void>>();
  return {
    run(name, work) {
      if (running.size >= mostAtOnce) {
        logger.warn({ work: name }, 'too much work waits behind answers; this was left out');
        return;
      }
      const task = work()
        .catch((error: unknown) => logger.error({ err: error, work: name }, 'work behind an answer failed'))
        .finally(() => running.delete(task));
      running.add(task);
    },
    settle: async () => void (await Promise.all(running)),
  };
}
