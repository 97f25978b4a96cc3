import { failures } from '@tessera/kernel/errors';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { LRUCache } from 'lru-cache';
import { type Lifetimes, type Revocation, refusalOfKey, retirementOf, type SigningKey } from '../domain/signing-key.ts';
import { issuerOf, parentOf, type SigningScope } from '../domain/signing-scope.ts';
import { insertRevocations } from '../storage/revocations.ts';
import {
  activateNextKey,
  auditKey,
  findActiveKey,
  findActiveKidOf,
  insertSigningKey,
  isRetired,
  type KeyCause,
  lockScope,
  type NewSigningKey,
  rotateActiveKey,
} from '../storage/signing-keys.ts';
import type { Envelope } from './envelope.ts';
import { createSigningKey, openPrivateKey } from './key-pair.ts';
import { handleOf, type SigningKeyHandle } from './token.ts';

export type KeyringOptions = {
  readonly db: Database;
  readonly envelope: Envelope;
  readonly lifetimes: Lifetimes;
  readonly clock: () => Date;
  readonly appUrl: string;
  /** Whether a project may get its first keys: asked once, before they are made. */
  readonly scopeExists: (scope: SigningScope) => Promise<boolean>;
  /** After keys were made: their scope's JWKS has changed. */
  readonly onChange: (scope: SigningScope) => void;
};

/** How long a replica believes, without a notice, that the key it signs with is still the active one. */
const trustedMs = 2_000;
const handlesKept = 2_000;

export type Rotation = {
  readonly active: SigningKey;
  readonly rotated: SigningKey | undefined;
  readonly revocations: readonly Revocation[];
};

export type Keyring = {
  /** The key that signs for this scope now; a project's first use makes its keys. Never older than two seconds. */
  signer(scope: SigningScope): Promise<SigningKeyHandle>;
  /** Ready-made pairs for `rotate`, so that no transaction waits for prime numbers: the new next key, and an active one for a scope without. */
  prepare(scope: SigningScope): Promise<PreparedKeys>;
  /** next → active → rotated and a new next, in the caller's transaction. A scope without keys gets its first two. */
  rotate(tx: Transaction, scope: SigningScope, prepared: PreparedKeys, options: RotateOptions): Promise<Rotation>;
  /** Somebody changed this issuer's keys: look again before signing. */
  forget(issuer: string): void;
};

export type PreparedKeys = { readonly next: NewSigningKey; readonly active: NewSigningKey | undefined };
export type RotateOptions = KeyCause & { readonly now: Date; readonly isCompromised: boolean };

export function createKeyring({ db, envelope, lifetimes, clock, appUrl, scopeExists, onChange }: KeyringOptions): Keyring {
  const handles = new LRUCache<string, SigningKeyHandle>({ max: handlesKept });
  const trusted = new LRUCache<string, SigningKeyHandle>({
    max: handlesKept,
    ttl: trustedMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  const pending = new Map<string, Promise<SigningKeyHandle>>();

  async function load(scope: SigningScope): Promise<SigningKeyHandle> {
    const known = await findActiveKidOf(db, scope);
    const cached = known === undefined ? undefined : handles.get(known);
    if (cached !== undefined) return cached;
    const key = (await findActiveKey(db, scope)) ?? (await createFirst(scope));
    const handle = handleOf(key.kid, openPrivateKey(key.kid, key, envelope));
    handles.set(key.kid, handle);
    return handle;
  }

  /** Whoever comes first makes both keys; everybody else gets those. */
  async function createFirst(scope: SigningScope) {
    if (!(await scopeExists(scope))) throw failures.notFound('Project');
    const [active, next] = await Promise.all([createSigningKey(scope, envelope), createSigningKey(scope, envelope)]);
    const isSystem = scope.tenant === 'system';
    const made = await db.transaction(async (tx) => {
      await lockScope(tx, scope);
      const found = await findActiveKey(tx, scope);
      if (found !== undefined) return found;
      await insertFirst(tx, { active, next }, { cause: isSystem ? 'seed' : 'first use' }, clock());
      return active;
    });
    if (made === active) onChange(scope);
    return made;
  }

  return {
    signer(scope) {
      const key = issuerOf(scope, appUrl);
      const handle = trusted.get(key);
      if (handle !== undefined) return Promise.resolve(handle);
      const waiting = pending.get(key);
      if (waiting !== undefined) return waiting;
      const loading = load(scope)
        .then((loaded) => {
          // A rotation that was heard of in the meantime has taken this load out of `pending`: it may be of yesterday.
          if (pending.get(key) === loading) trusted.set(key, loaded);
          return loaded;
        })
        .finally(() => {
          if (pending.get(key) === loading) pending.delete(key);
        });
      pending.set(key, loading);
      return loading;
    },
    async prepare(scope) {
      const hasKeys = (await findActiveKidOf(db, scope)) !== undefined;
      const [next, active] = await Promise.all([
        createSigningKey(scope, envelope),
        hasKeys ? undefined : createSigningKey(scope, envelope),
      ]);
      return { next, active };
    },
    async rotate(tx, scope, prepared, { now, isCompromised, ...by }) {
      await lockScope(tx, scope);
      const retiresAt = retirementOf(scope, now, lifetimes);
      const rotated = await rotateActiveKey(tx, scope, { now, retiresAt, isCompromised });
      if (rotated === undefined) return { active: await insertFirst(tx, prepared, by, now), rotated, revocations: [] };
      const active = await activateNextKey(tx, scope, now);
      const next = await insertSigningKey(tx, prepared.next, 'next', now);
      await auditKey(tx, rotated, isCompromised ? 'compromised' : 'rotated', by, now);
      await auditKey(tx, active, 'activated', by, now);
      await auditKey(tx, next, 'created', by, now);
      const revocations = isCompromised ? [refusalOfKey(rotated.kid, now)] : [];
      await insertRevocations(tx, revocations);
      return { active, rotated, revocations };
    },
    forget(issuer) {
      handles.delete(trusted.peek(issuer)?.kid ?? '');
      trusted.delete(issuer);
      pending.delete(issuer);
    },
  };
}

/** The first day of a scope: one active key and one next, or neither when the scope is gone. */
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
