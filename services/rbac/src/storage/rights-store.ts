import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { rootId } from '@tessera/kernel/scope';
import { LRUCache } from 'lru-cache';
import { type Holder, keyOf, type LoadedRights } from './rights.ts';
import type { TenantVersion, Versions } from './tenants.ts';

/**
 * One account, organization or project of which rights are kept or being read. All its entries were
 * read at `version`. Once it is dropped, another object takes its place: a read that began before
 * finds its own object dropped, and its result is not kept.
 */
type TenantState = { readonly id: string; version: number; isDropped: boolean; readonly keys: Set<string> };

/** A read on its way: the states of its tenants as they were when it began. */
export type Reading = { readonly key: string; readonly scope: ParsedScope; readonly states: readonly TenantState[] };

type Entry = { readonly loaded: LoadedRights; readonly states: readonly TenantState[] };

export type StoreLimits = {
  readonly maxEntries: number;
  /**
   * Bytes of all entries together, as they were read; compiled they take up to five times as much.
   */
  readonly maxWeight: number;
  readonly maxAgeMs: number;
  readonly clock: () => number;
};

/**
 * The tenants whose changes change rights in a scope: itself and what it lies in. Where an
 * organization uses another's project also the project and its owner. In the order of `versionsOf`.
 */
export function basesOf(scope: ParsedScope): readonly string[] {
  const { id, grant } = scope;
  return grant === undefined ? [id, rootId(scope)] : [id, rootId(scope), grant.product.id, grant.product.id.slice(0, 36)];
}

export function versionsOf({ own, root, product, owner }: Versions): readonly number[] {
  return product === undefined || owner === undefined ? [own, root] : [own, root, product, owner];
}

/**
 * Compiled rights in memory, by scope and holder; the least recently used go first.
 * The entries of a tenant share one version, so a newer version drops all of them at once.
 */
export class RightsStore {
  readonly #entries: LRUCache<string, Entry>;
  readonly #tenants = new Map<string, TenantState>();
  readonly #maxWeight: number;

  constructor({ maxEntries, maxWeight, maxAgeMs, clock }: StoreLimits) {
    this.#maxWeight = maxWeight;
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxWeight,
      sizeCalculation: ({ loaded }) => Math.max(1, loaded.weight),
      ttl: maxAgeMs,
      ttlResolution: 0,
      perf: { now: clock },
      dispose: (entry, key, reason) => {
        if (reason !== 'set') this.#unlink(entry, key);
      },
    });
  }

  get size(): number {
    return this.#entries.size;
  }
  get weight(): number {
    return this.#entries.calculatedSize;
  }
  /** How many accounts, organizations and projects have entries or reads. */
  get tenants(): number {
    return this.#tenants.size;
  }

  get(scope: Scope, holder: Holder): LoadedRights | undefined {
    return this.#entries.get(keyOf(scope, holder))?.loaded;
  }

  /** Call before the database is asked: a change that comes after this keeps the result out. */
  begin(scope: ParsedScope, holder: Holder): Reading {
    return { key: keyOf(scope, holder), scope, states: basesOf(scope).map((id) => this.#stateOf(id)) };
  }

  /**
   * Keeps what was read, unless a change came meanwhile. Undefined: there is no such scope, or the
   * read failed.
   */
  finish(reading: Reading, loaded: LoadedRights | undefined): void {
    if (loaded !== undefined && !isOvertaken(reading)) this.#keep(reading, loaded);
    for (const state of reading.states) this.#removeUnused(state);
  }

  /** Forgets what was read at an older version of the tenant. */
  drop({ id, version }: TenantVersion): void {
    const state = this.#tenants.get(id);
    if (state !== undefined && state.version < version) this.#drop(state);
  }

  clear(): void {
    for (const state of this.#tenants.values()) this.#drop(state);
  }

  #keep({ key, scope, states }: Reading, loaded: LoadedRights): void {
    const versions = versionsOf(loaded.versions);
    // Read before it was known that the project is another organization's.
    if (versions.length !== states.length) return;
    const isOlder = states.some((state, at) => (versions[at] ?? 0) < state.version);
    if (loaded.weight > this.#maxWeight || isOlder) return;
    for (const [at, state] of states.entries()) if (state.version > 0 && state.version < (versions[at] ?? 0)) this.#drop(state);
    const entry = { loaded, states: basesOf(scope).map((id) => this.#stateOf(id)) };
    for (const [at, state] of entry.states.entries()) {
      state.version = versions[at] ?? 0;
      // Before the entry is set: making room for it must not remove a state that it needs.
      state.keys.add(key);
    }
    this.#entries.set(key, entry);
  }

  #stateOf(id: string): TenantState {
    const known = this.#tenants.get(id);
    if (known !== undefined) return known;
    const state: TenantState = { id, version: 0, isDropped: false, keys: new Set() };
    this.#tenants.set(id, state);
    return state;
  }

  #drop(state: TenantState): void {
    this.#remove(state);
    for (const key of state.keys) this.#entries.delete(key);
  }

  #unlink({ states }: Entry, key: string): void {
    for (const state of states) {
      state.keys.delete(key);
      this.#removeUnused(state);
    }
  }

  /**
   * Scopes that do not exist must leave nothing behind, or clients could fill the memory with them.
   */
  #removeUnused(state: TenantState): void {
    if (state.keys.size === 0) this.#remove(state);
  }

  /** A state that cannot be found any more counts as dropped: no change could reach it. */
  #remove(state: TenantState): void {
    state.isDropped = true;
    if (this.#tenants.get(state.id) === state) this.#tenants.delete(state.id);
  }
}

export function isOvertaken({ states }: Reading): boolean {
  return states.some(({ isDropped }) => isDropped);
}
