import { failures } from '@tessera/kernel/errors';
import type { Envelope } from '@tessera/kernel/guard';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { type Lifetimes, type Revocation, refusalOfKey, retirementOf, type SigningKey } from '../domain/signing-key.ts';
import { issuerOf, parentOf, type SigningScope } from '../domain/signing-scope.ts';
import { findEllipticKey, insertEllipticKey, listKidsWithoutElliptic } from '../storage/elliptic-keys.ts';
import { isSuspended } from '../storage/restricted-tenants.ts';
import { isRetired, lockScope } from '../storage/retired-scopes.ts';
import { insertRevocations } from '../storage/revocations.ts';
import { auditKey, type KeyCause } from '../storage/signing-key-audit-logs.ts';
import {
  activateNextKey,
  findActiveKey,
  findActiveKidOf,
  insertSigningKey,
  type NewSigningKey,
  rotateActiveKey,
} from '../storage/signing-keys.ts';
import { createEllipticKey, createSigningKey, openEllipticKey, openPrivateKey } from './key-pair.ts';

export type KeyringOptions = {
  readonly db: Database;
  readonly envelope: Envelope;
  readonly lifetimes: Lifetimes;
  readonly clock: () => Date;
  readonly appUrl: string;
  /** Whether a project may get its first keys. Called once, before they are made. */
  readonly scopeExists: (scope: SigningScope) => Promise<boolean>;
  /** Called after the first keys of a scope were made: its JWKS has changed. */
  readonly onChange: (scope: SigningScope) => void;
};

/**
 * How long a replica signs with its active key without looking into the database, when no notice
 * arrives.
 */
const activeTtlMs = 2_000;
const cachedKeys = 2_000;

type OpenedKey = { readonly kid: string; readonly privateKey: CryptoKey };
export type ActiveSigningKey = OpenedKey & {
  /** The operator has suspended the account or organization: nothing is signed. */
  readonly isSuspended: boolean;
};

export type Rotation = {
  readonly active: SigningKey;
  readonly rotated: SigningKey | undefined;
  readonly revocations: readonly Revocation[];
};

export type Keyring = {
  /**
   * The active key of this scope, read at most two seconds ago. The first use of a project makes
   * its keys.
   */
  activeKey(scope: SigningScope): Promise<ActiveSigningKey>;
  /** Of the curve P-256, beside the active key. Not found for a scope that has none. */
  activeEllipticKey(scope: SigningScope): Promise<ActiveSigningKey>;
  /** Gives a project's keys from before there were any one of P-256 each. */
  addEllipticKeys(scope: SigningScope): Promise<void>;
  /**
   * Key pairs for `rotate`, made before its transaction: the new next key, and an active one for a
   * scope without keys.
   */
  prepare(scope: SigningScope): Promise<PreparedKeys>;
  /**
   * next → active → rotated and a new next, in the caller's transaction. A scope without keys gets
   * its first two.
   */
  rotate(tx: Transaction, scope: SigningScope, prepared: PreparedKeys, options: RotateOptions): Promise<Rotation>;
  /** The keys of this issuer have changed: the next signature reads them from the database. */
  forget(issuer: string): void;
};

export type PreparedKeys = { readonly next: NewSigningKey; readonly active: NewSigningKey | undefined };
export type RotateOptions = KeyCause & { readonly now: Date; readonly isCompromised: boolean };

export function createKeyring({ db, envelope, lifetimes, clock, appUrl, scopeExists, onChange }: KeyringOptions): Keyring {
  /** Opened keys by kid. */
  const opened = new LRUCache<string, OpenedKey>({ max: cachedKeys });
  /** Those of P-256, by the kid of the key that they stand beside. */
  const openedElliptic = new LRUCache<string, OpenedKey>({ max: cachedKeys });
  /** Active keys by issuer. */
  const active = new LRUCache<string, ActiveSigningKey>({
    max: cachedKeys,
    ttl: activeTtlMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  const pending = new Map<string, Promise<ActiveSigningKey>>();

  async function load(scope: SigningScope): Promise<ActiveSigningKey> {
    const [key, suspended] = await Promise.all([open(scope), scope.tenant !== 'system' && isSuspended(db, parentOf(scope))]);
    return { ...key, isSuspended: suspended };
  }

  async function open(scope: SigningScope): Promise<OpenedKey> {
    const activeKid = await findActiveKidOf(db, scope);
    const cached = activeKid === undefined ? undefined : opened.get(activeKid);
    if (cached !== undefined) return cached;
    const sealed = (await findActiveKey(db, scope)) ?? (await createFirst(scope));
    const key = { kid: sealed.kid, privateKey: await openPrivateKey(sealed.kid, sealed, envelope) };
    opened.set(key.kid, key);
    return key;
  }

  /** The first replica makes both keys; the others, which wait for its lock, read them. */
  async function createFirst(scope: SigningScope) {
    if (!(await scopeExists(scope))) throw failures.notFound('Project');
    const [first, next] = await Promise.all([createSigningKey(scope, envelope), createSigningKey(scope, envelope)]);
    const isSystem = scope.tenant === 'system';
    const made = await db.transaction(async (tx) => {
      await lockScope(tx, scope);
      const found = await findActiveKey(tx, scope);
      if (found !== undefined) return found;
      await insertFirst(tx, { active: first, next }, { cause: isSystem ? 'seed' : 'first use' }, clock());
      return first;
    });
    if (made === first) onChange(scope);
    return made;
  }

  function activeKey(scope: SigningScope): Promise<ActiveSigningKey> {
    const issuer = issuerOf(scope, appUrl);
    const known = active.get(issuer);
    if (known !== undefined) return Promise.resolve(known);
    const waiting = pending.get(issuer);
    if (waiting !== undefined) return waiting;
    const loading = load(scope)
      .then((loaded) => {
        // `forget` removed this load from `pending`: it may have read the key from before a
        // rotation.
        if (pending.get(issuer) === loading) active.set(issuer, loaded);
        return loaded;
      })
      .finally(() => {
        if (pending.get(issuer) === loading) pending.delete(issuer);
      });
    pending.set(issuer, loading);
    return loading;
  }

  async function openBeside(kid: string): Promise<OpenedKey> {
    const cached = openedElliptic.get(kid);
    if (cached !== undefined) return cached;
    const sealed = await findEllipticKey(db, kid);
    if (sealed === undefined) throw failures.notFound('SigningKey');
    const key = { kid: sealed.kid, privateKey: await openEllipticKey(sealed.kid, sealed, envelope) };
    openedElliptic.set(kid, key);
    return key;
  }

  return {
    activeKey,
    async activeEllipticKey(scope) {
      const { kid, isSuspended } = await activeKey(scope);
      return { ...(await openBeside(kid)), isSuspended };
    },
    async addEllipticKeys(scope) {
      if (scope.tenant === 'system' || (await listKidsWithoutElliptic(db, scope)).length === 0) return;
      await db.transaction(async (tx) => {
        await lockScope(tx, scope);
        for (const kid of await listKidsWithoutElliptic(tx, scope))
          await insertEllipticKey(tx, kid, await createEllipticKey(envelope), clock().toISOString());
      });
      onChange(scope);
    },
    async prepare(scope) {
      const hasKeys = (await findActiveKidOf(db, scope)) !== undefined;
      const [next, first] = await Promise.all([createSigningKey(scope, envelope), hasKeys ? undefined : createSigningKey(scope, envelope)]);
      return { next, active: first };
    },
    async rotate(tx, scope, prepared, { now, isCompromised, ...by }) {
      await lockScope(tx, scope);
      const retiresAt = retirementOf(scope, now, lifetimes);
      const rotated = await rotateActiveKey(tx, scope, { now, retiresAt, isCompromised });
      if (rotated === undefined) return { active: await insertFirst(tx, prepared, by, now), rotated, revocations: [] };
      const activated = await activateNextKey(tx, scope, now);
      const next = await insertSigningKey(tx, prepared.next, 'next', now);
      await auditKey(tx, rotated, isCompromised ? 'compromised' : 'rotated', by, now);
      await auditKey(tx, activated, 'activated', by, now);
      await auditKey(tx, next, 'created', by, now);
      const revocations = isCompromised ? [refusalOfKey(rotated.kid, now)] : [];
      await insertRevocations(tx, revocations);
      return { active: activated, rotated, revocations };
    },
    forget(issuer) {
      const kid = active.peek(issuer)?.kid ?? '';
      opened.delete(kid);
      openedElliptic.delete(kid);
      active.delete(issuer);
      pending.delete(issuer);
    },
  };
}

/**
 * Inserts the active and the next key of a scope without keys. Refuses a scope that was deleted.
 */
async function insertFirst(tx: Transaction, { active, next }: PreparedKeys, by: KeyCause, now: Date): Promise<SigningKey> {
  const scope = next.scope;
  if (scope.tenant !== 'system' && (await isRetired(tx, scope, parentOf(scope)))) throw failures.notFound('Project');
  if (active === undefined) throw failures.notFound('SigningKey');
  const first = await insertSigningKey(tx, active, 'active', now);
  const second = await insertSigningKey(tx, next, 'next', now);
  for (const key of [first, second]) await auditKey(tx, key, 'created', by, now);
  await auditKey(tx, first, 'activated', by, now);
  return first;
}
