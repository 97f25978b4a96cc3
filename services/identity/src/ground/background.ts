type Log = { error(details: object, message: string): void; warn(details: object, message: string): void };

/**
 * Work that runs after the response, whose content and duration must not tell what it finds.
 * Bounded; a stop waits for it.
 */
export type Background = { run(name: string, work: () => Promise<void>): void; settle(): Promise<void> };

const mostAtOnce = 200;

export function createBackground(logger: Log): Background {
  const running = new Set<Promise<void>>();
  return {
    run(name, work) {
      if (running.size >= mostAtOnce) {
        logger.warn({ work: name }, 'too much background work: this was dropped');
        return;
      }
      const task = work()
        .catch((error: unknown) => logger.error({ err: error, work: name }, 'background work failed'))
        .finally(() => running.delete(task));
      running.add(task);
    },
    settle: async () => void (await Promise.all(running)),
  };
}
