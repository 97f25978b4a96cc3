import type { Database } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, type Scope } from '@tessera/kernel/scope';
import type { Places } from './places.ts';
import { createRightsReader, type Holder, keyOf, type LoadedRights } from './rights.ts';
import { basesOf, isOvertaken, type Reading, RightsStore, versionsOf } from './rights-store.ts';
import type { TenantVersion } from './tenants.ts';
import { createVersionWatch } from './version-watch.ts';

/**
 * Compiled rights by scope and holder. A change made here drops its tenant's entries before the
 * change is answered. A change made elsewhere drops them on its notice, and at the latest on the
 * next look at the versions. When the last look is older than `staleAfterMs`, the cache looks again
 * before it answers.
 */
export type RightsCache = {
  /** The rights in memory; undefined when the database must be asked first. */
  peek(scope: Scope, holder: Holder): LoadedRights | undefined;
  /** From memory or the database; undefined for a scope that does not exist. */
  get(scope: Scope, holder: Holder, freshness?: Freshness): Promise<LoadedRights | undefined>;
  /** Forgets what a change made old. */
  drop(change: TenantVersion): void;
  start(): void;
  stop(): void;
  /** Entries, and the bytes that they weigh. */
  readonly size: number;
  readonly weight: number;
  /** Accounts, organizations and projects that have entries. */
  readonly tenants: number;
  readonly lookups: { readonly hits: number; readonly misses: number };
};

export type Freshness = {
  /** Skips the cache. */
  readonly fresh?: boolean;
  /** Refuses rights that were read before these versions. */
  readonly atLeast?: readonly TenantVersion[];
};

type Options = {
  readonly database: Database;
  readonly places: Places;
  readonly maxEntries?: number;
  readonly maxWeight?: number;
  /** Bounds how long an entry can be wrong, should a change reach this process in no other way. */
  readonly maxAgeMs?: number;
  readonly lookEveryMs?: number;
  readonly staleAfterMs?: number;
  readonly clock?: () => number;
  readonly logger?: { warn(details: object, message: string): void };
};

const limits = { maxEntries: 50_000, maxWeight: 64 * 1_024 * 1_024, maxAgeMs: 5 * 60_000 };
const looks = { lookEveryMs: 300, staleAfterMs: 900 };

function isAtLeast({ versions }: LoadedRights, scope: ParsedScope, demanded: readonly TenantVersion[]): boolean {
  const bases = basesOf(scope).map((id, at) => ({ id, version: versionsOf(versions)[at] ?? 0 }));
  return demanded.every(({ id, version }) => bases.every((base) => base.id !== id || base.version >= version));
}

type Load = (scope: ParsedScope, holder: Holder) => Promise<LoadedRights | undefined>;
type Loads = {
  /** A read of its own, for callers that must see every change before now. */
  readonly fresh: Load;
  /** One read for all who ask at the same time; a change ends it for those who ask afterwards. */
  readonly shared: Load;
};

function createLoads(database: Database, places: Places, store: RightsStore, lookups: { misses: number }): Loads {
  const read = createRightsReader(database, places);
  const underWay = new Map<string, { readonly reading: Reading; readonly result: Promise<LoadedRights | undefined> }>();

  const readAndKeep = async (reading: Reading, holder: Holder): Promise<LoadedRights | undefined> => {
    lookups.misses += 1;
    let loaded: LoadedRights | undefined;
    try {
      loaded = await read(reading.scope, holder);
      return loaded;
    } finally {
      store.finish(reading, loaded);
    }
  };

  return {
    fresh: (scope, holder) => readAndKeep(store.begin(scope, holder), holder),
    shared: (scope, holder) => {
      const key = keyOf(scope, holder);
      const known = underWay.get(key);
      if (known !== undefined && !isOvertaken(known.reading)) return known.result;
      const reading = store.begin(scope, holder);
      const result = readAndKeep(reading, holder).finally(() => {
        if (underWay.get(key)?.reading === reading) underWay.delete(key);
      });
      underWay.set(key, { reading, result });
      return result;
    },
  };
}

export function createRightsCache({ database, places, logger, clock = () => performance.now(), ...options }: Options): RightsCache {
  const store = new RightsStore({ ...limits, ...options, clock });
  const watch = createVersionWatch({
    ...looks,
    ...options,
    database,
    clock,
    logger,
    onChange: (change) => store.drop(change),
    onLongPause: () => store.clear(),
  });
  const lookups = { hits: 0, misses: 0 };
  const load = createLoads(database, places, store, lookups);

  const peek = (scope: Scope, holder: Holder): LoadedRights | undefined => {
    const known = watch.isCurrent() ? store.get(scope, holder) : undefined;
    if (known !== undefined) lookups.hits += 1;
    return known;
  };

  return {
    peek,
    async get(named, holder, { fresh = false, atLeast = [] } = {}) {
      const scope = places.known(parseScope(named));
      if (fresh) return load.fresh(scope, holder);
      if (!watch.isCurrent() && store.get(scope, holder) !== undefined) await watch.look();
      const known = store.get(scope, holder);
      if (known !== undefined && isAtLeast(known, scope, atLeast)) {
        lookups.hits += 1;
        return known;
      }
      if (known !== undefined) return load.fresh(scope, holder);
      const loaded = await load.shared(scope, holder);
      return loaded === undefined || isAtLeast(loaded, scope, atLeast) ? loaded : load.fresh(scope, holder);
    },
    drop: (change) => store.drop(change),
    lookups,
    start: watch.start,
    stop: watch.stop,
    get size() {
      return store.size;
    },
    get weight() {
      return store.weight;
    },
    get tenants() {
      return store.tenants;
    },
  };
}
