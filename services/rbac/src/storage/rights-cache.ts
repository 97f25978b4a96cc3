import type { Database } from '@tessera/kernel/postgres';
import type { Scope, Tenant } from '@tessera/kernel/scope';
import { parseScope, tenants } from '@tessera/kernel/scope';
import { createRightsReader, type Holder, type LoadedRights } from './rights.ts';
import { type Change, listChanged } from './tenants.ts';

/**
 * Compiled rights by scope and holder. An entry is used only while nothing newer is known of its tenants:
 * a change made here drops it before the change is answered; a change made elsewhere drops it on the notice, and at the latest by the
 * regular look at the versions. When that look is older than `staleAfterMs`, nobody is answered from here before the next one.
 */
export type RightsCache = {
  /** At once, or undefined when the database must be asked first. */
  peek(scope: Scope, holder: Holder): LoadedRights | undefined;
  /** From the cache or the database. Undefined for a scope that does not exist. `fresh` skips the cache; `atLeast` refuses older entries. */
  get(scope: Scope, holder: Holder, options?: { fresh?: boolean; atLeast?: readonly Change[] }): Promise<LoadedRights | undefined>;
  /** Forgets what a change made old. */
  drop(change: Change): void;
  start(): void;
  stop(): void;
  readonly size: number;
  readonly weight: number;
  /** How often rights were found here, and how often the database was asked for them. */
  readonly lookups: { readonly hits: number; readonly misses: number };
  /** How many accounts and organizations it knows of. */
  readonly tenants: number;
};

type Root = { dropped: boolean; version: number };
type Entry = {
  readonly root: Root;
  dropped: boolean;
  version: number;
  weight: number;
  /** Counts the entries as they come. */
  readonly born: number;
  readonly holders: Map<string, LoadedRights>;
  /** Loads on their way. They end with the entry: whoever asks after a change starts a new one. */
  readonly loading: Map<string, Promise<LoadedRights | undefined>>;
};

type Options = {
  readonly database: Database;
  readonly maxEntries?: number;
  /** Of all entries together, in bytes as they were read; compiled they take up to five times as much. A tenant decides how large its rights are. */
  readonly maxWeight?: number;
  readonly syncEveryMs?: number;
  readonly staleAfterMs?: number;
  readonly clock?: () => number;
  readonly logger?: { warn(details: object, message: string): void };
};

const longestPauseMs = 60_000;

function rootKey(scope: Scope): string {
  return scope.id.slice(0, 36);
}
function isProject(tenant: Tenant): boolean {
  return tenant === 'accountProject' || tenant === 'organizationProject';
}
function holderKey(holder: Holder): string {
  return holder.roleId ?? holder.userId;
}

function isAtLeast(loaded: LoadedRights, scope: Scope, changes: readonly Change[]): boolean {
  return changes.every((change) => hasSeen(loaded, scope, change));
}

function hasSeen(loaded: LoadedRights, scope: Scope, change: Change): boolean {
  if (change.scope.id === scope.id && change.scope.tenant === scope.tenant) return loaded.versions.own >= change.version;
  return isProject(change.scope.tenant) || change.scope.id !== rootKey(scope) || loaded.versions.root >= change.version;
}

export function createRightsCache(options: Options): RightsCache {
  const {
    database,
    maxEntries = 50_000,
    maxWeight = 64 * 1_024 * 1_024,
    syncEveryMs = 300,
    staleAfterMs = 900,
    clock = () => performance.now(),
    logger,
  } = options;
  const scopes: Readonly<Record<Tenant, Map<string, Entry>>> = {
    account: new Map(),
    organization: new Map(),
    accountProject: new Map(),
    organizationProject: new Map(),
  };
  const roots = new Map<string, Root>();
  const lookups = { hits: 0, misses: 0 };
  const read = createRightsReader(database);
  const startedAt = clock();
  let size = 0;
  let weight = 0;
  let born = 0;
  let syncedAt = Number.NEGATIVE_INFINITY;
  let syncing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Whether anybody was answered since the last look: a cache that nobody uses needs none. */
  let isUsed = false;

  const forget = (scope: Scope, entry: Entry): void => {
    if (entry.dropped) return;
    entry.dropped = true;
    size -= entry.holders.size;
    weight -= entry.weight;
    if (scopes[scope.tenant].get(scope.id) === entry) scopes[scope.tenant].delete(scope.id);
  };

  /** A scope that is none, or could not be read, leaves nothing behind: nobody fills the memory with invented ones. */
  const forgetUnknown = (scope: Scope, entry: Entry): void => {
    forget(scope, entry);
    const key = rootKey(scope);
    if (entry.root.version > 0 || roots.get(key) !== entry.root) return;
    entry.root.dropped = true;
    roots.delete(key);
  };

  const drop = ({ scope, version }: Change): void => {
    const entry = scopes[scope.tenant].get(scope.id);
    if (entry && entry.version < version) forget(scope, entry);
    if (isProject(scope.tenant)) return;
    const root = roots.get(scope.id);
    if (root && root.version < version) {
      root.dropped = true;
      roots.delete(scope.id);
    }
  };

  /** The entry that a load will put its result into. If it is dropped meanwhile the result is used once and not kept. */
  const entryFor = (scope: Scope): Entry => {
    const known = scopes[scope.tenant].get(scope.id);
    if (known && !known.root.dropped) return known;
    if (known) forget(scope, known);
    const key = rootKey(scope);
    const root = roots.get(key) ?? { dropped: false, version: 0 };
    roots.set(key, root);
    born += 1;
    const entry: Entry = { root, dropped: false, version: 0, weight: 0, born, holders: new Map(), loading: new Map() };
    scopes[scope.tenant].set(scope.id, entry);
    return entry;
  };

  const weigh = (entry: Entry, change: number): void => {
    entry.weight += change;
    weight += change;
  };

  /** The scope that has been in memory longest. */
  const oldest = (): readonly [Scope, Entry] | undefined => {
    let found: readonly [Scope, Entry] | undefined;
    for (const tenant of tenants) {
      const [first] = scopes[tenant];
      if (first !== undefined && (found === undefined || first[1].born < found[1].born)) found = [{ tenant, id: first[0] }, first[1]];
    }
    return found;
  };

  const makeRoom = (): void => {
    while (size > maxEntries || weight > maxWeight) {
      const found = oldest();
      if (found === undefined) break;
      const [scope, entry] = found;
      const [first, second] = entry.holders;
      if (first !== undefined && second !== undefined) {
        entry.holders.delete(first[0]);
        size -= 1;
        weigh(entry, -first[1].weight);
      } else forget(scope, entry);
    }
    for (const key of roots.keys()) {
      if (roots.size <= maxEntries) return;
      const root = roots.get(key);
      if (root) root.dropped = true;
      roots.delete(key);
    }
  };

  const keep = (entry: Entry, scope: Scope, holder: Holder, loaded: LoadedRights): void => {
    if (entry.dropped || entry.root.dropped) return;
    const isNewer = entry.version < loaded.versions.own || entry.root.version < loaded.versions.root;
    if (isNewer && entry.holders.size > 0) {
      size -= entry.holders.size;
      weigh(entry, -entry.weight);
      entry.holders.clear();
    }
    if (loaded.versions.own < entry.version || loaded.versions.root < entry.root.version) return;
    entry.version = loaded.versions.own;
    if (entry.root.version > 0 && entry.root.version < loaded.versions.root) {
      drop({ scope: rootScope(scope), rootId: rootKey(scope), version: loaded.versions.root });
      return;
    }
    entry.root.version = loaded.versions.root;
    const key = holderKey(holder);
    const known = entry.holders.get(key);
    if (known === undefined) size += 1;
    weigh(entry, loaded.weight - (known?.weight ?? 0));
    entry.holders.set(key, loaded);
    if (size > maxEntries || weight > maxWeight || roots.size > 2 * maxEntries) makeRoom();
  };

  const forgetAll = (): void => {
    for (const tenant of tenants) for (const [id, entry] of scopes[tenant]) forget({ tenant, id }, entry);
    for (const root of roots.values()) root.dropped = true;
    roots.clear();
  };

  /** Looks for all that changed since the last look; after a long pause it is cheaper to read again what is asked. */
  const sync = (): Promise<void> => {
    syncing ??= (async () => {
      const asked = clock();
      const pauseMs = asked - Math.max(syncedAt, startedAt);
      if (pauseMs > longestPauseMs) forgetAll();
      for (const change of await listChanged(database, Math.min(pauseMs, longestPauseMs) / 1_000)) drop(change);
      syncedAt = asked;
    })().finally(() => {
      syncing = undefined;
    });
    return syncing;
  };

  const peekFresh = (scope: Scope, holder: Holder): LoadedRights | undefined => {
    const entry = scopes[scope.tenant]?.get(scope.id);
    isUsed = true;
    return entry === undefined || entry.root.dropped ? undefined : entry.holders.get(holderKey(holder));
  };

  const peek = (scope: Scope, holder: Holder): LoadedRights | undefined => {
    const known = clock() - syncedAt > staleAfterMs ? undefined : peekFresh(scope, holder);
    if (known !== undefined) lookups.hits += 1;
    return known;
  };

  const loadAndKeep = async (scope: Scope, holder: Holder, entry = entryFor(scope)): Promise<LoadedRights | undefined> => {
    lookups.misses += 1;
    try {
      const loaded = await read(parseScope(scope), holder);
      if (loaded === undefined) forgetUnknown(scope, entry);
      else keep(entry, scope, holder, loaded);
      return loaded;
    } catch (error) {
      forgetUnknown(scope, entry);
      throw error;
    }
  };

  /** Past the cache. Questions of one tick share a reading: it is sent after all of them were asked. */
  let thisTick = new Map<string, Promise<LoadedRights | undefined>>();
  const loadFresh = (scope: Scope, holder: Holder): Promise<LoadedRights | undefined> => {
    const key = `${scope.tenant} ${scope.id} ${holderKey(holder)}`;
    const started = thisTick.get(key);
    if (started !== undefined) return started;
    if (thisTick.size === 0) {
      queueMicrotask(() => {
        thisTick = new Map();
      });
    }
    const loading = loadAndKeep(scope, holder);
    thisTick.set(key, loading);
    return loading;
  };

  /** One load for all who ask at the same time: a cold batch about one subject costs one query. */
  const loadTogether = (scope: Scope, holder: Holder): Promise<LoadedRights | undefined> => {
    const entry = entryFor(scope);
    const key = holderKey(holder);
    const started = entry.loading.get(key);
    if (started !== undefined) return started;
    const loading = loadAndKeep(scope, holder, entry).finally(() => entry.loading.delete(key));
    entry.loading.set(key, loading);
    return loading;
  };

  return {
    peek,
    async get(scope, holder, { fresh = false, atLeast = [] } = {}) {
      if (fresh) return loadFresh(scope, holder);
      if (clock() - syncedAt > staleAfterMs && peekFresh(scope, holder) !== undefined) await sync();
      const known = peekFresh(scope, holder);
      if (known !== undefined && isAtLeast(known, scope, atLeast)) {
        lookups.hits += 1;
        return known;
      }
      if (known !== undefined) return loadFresh(scope, holder);
      const loaded = await loadTogether(scope, holder);
      return loaded === undefined || isAtLeast(loaded, scope, atLeast) ? loaded : loadFresh(scope, holder);
    },
    drop,
    lookups,
    start() {
      timer ??= setInterval(() => {
        if (!isUsed) return;
        isUsed = false;
        sync().catch((error: unknown) => logger?.warn({ err: error }, 'the versions of the tenants could not be read'));
      }, syncEveryMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    get size() {
      return size;
    },
    get weight() {
      return weight;
    },
    get tenants() {
      return roots.size;
    },
  };
}

function rootScope(scope: Scope): Scope {
  if (!isProject(scope.tenant)) return scope;
  return { tenant: scope.tenant === 'accountProject' ? 'account' : 'organization', id: rootKey(scope) };
}
