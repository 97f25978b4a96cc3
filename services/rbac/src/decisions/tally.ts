import type { Scope } from '@tessera/kernel/scope';
import { type Counted, counts, type ScopeCount } from '../storage/decision-counts.ts';

/**
 * Counts decisions by scope in memory and writes the sums now and then: the hot path only adds to a
 * number. A process that is killed loses what it counted since the last write.
 */
export type Tally = {
  add(scope: Scope, counted: Counted): void;
  /** Writes what was counted. After a failure it is kept for the next write. */
  write(): Promise<void>;
  start(): void;
  /** Writes for the last time. */
  stop(): Promise<void>;
};

type Options = {
  readonly save: (counts: readonly ScopeCount[]) => Promise<void>;
  readonly logger?: { warn(details: object, message: string): void } | undefined;
  readonly everyMs?: number;
};

const writeEveryMs = 5_000;

export function createTally({ save, logger, everyMs = writeEveryMs }: Options): Tally {
  let counted = new Map<string, { readonly scope: Scope } & Record<Counted, number>>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const addMany = (scope: Scope, kind: Counted, many: number) => {
    const known = counted.get(scope.id) ?? { scope: { tenant: scope.tenant, id: scope.id }, allowed: 0, refused: 0, own: 0 };
    known[kind] += many;
    counted.set(scope.id, known);
  };
  const writeOnce = async () => {
    if (counted.size === 0) return;
    const taken = [...counted.values()];
    counted = new Map();
    try {
      await save(taken.map(({ scope, ...sums }) => ({ tenant: scope.tenant, id: scope.id, ...sums })));
    } catch (error) {
      for (const { scope, ...sums } of taken) for (const kind of counts) addMany(scope, kind, sums[kind]);
      logger?.warn({ err: error }, 'the counts of decisions could not be written and will be tried again');
    }
  };
  const write = () => {
    writing = writing.then(writeOnce);
    return writing;
  };
  return {
    add: (scope, kind) => addMany(scope, kind, 1),
    write,
    start: () => {
      timer = setInterval(() => void write(), everyMs).unref();
    },
    stop: () => {
      clearInterval(timer);
      return write();
    },
  };
}
