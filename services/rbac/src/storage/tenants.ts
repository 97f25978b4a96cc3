import { newId } from '@tessera/kernel/ids';
import { type Database, defaultTransactionTimeoutMs, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parentScope, rootId, type Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import type { EnforcedConnections, SessionPolicy } from '../domain/decision.ts';
import { query } from './query.ts';

/** An account, organization or project by its scope's id, and its version after a change. */
export type TenantVersion = { readonly id: string; readonly version: number };

/**
 * The versions of a scope: of its account or organization, and its own (the same unless it is a
 * project).
 */
export type Versions = {
  readonly root: number;
  readonly own: number;
  /** Of the use of another organization's project: of the project, and of its owner. */
  readonly product?: number;
  readonly owner?: number;
};

/**
 * Writes that change rights. Each of them reports the new version of the tenant after its commit.
 */
export type TenantChanges = {
  /**
   * Opens a write. Until the commit no other write changes this tenant, and its parent stays as it
   * is. Parents are locked before children. Undefined when the scope or its parent is gone.
   */
  bump(tx: Transaction, scope: ParsedScope): Promise<Versions | undefined>;
  /**
   * Opens a write for an event about a tenant. False when the tenant was deleted, so the event came
   * too late. Throws when the tenant is unknown: the event is delivered again after 'created'.
   */
  bumpForEvent(tx: Transaction, scope: ParsedScope): Promise<boolean>;
  /**
   * Registers a tenant once. False when it is deleted: 'created' came after 'deleted' and does
   * nothing.
   */
  register(tx: Transaction, scope: ParsedScope): Promise<boolean>;
  /** Marks a tenant deleted, known or not; it never comes back. */
  markDeleted(tx: Transaction, scope: ParsedScope): Promise<void>;
};

type Key = Pick<Scope, 'tenant' | 'id'>;
type Registration = Key & { readonly rootId: string; readonly projectId: string | null };

const changedNow = { changedAt: sql<string>`clock_timestamp()` };

function live({ tenant, id }: Params<Key>) {
  return query.selectFrom('tenants').select('version').where('tenant', '=', tenant).where('id', '=', id).where('deletedAt', 'is', null);
}
const findLive = statement('rbac_find_live_tenant', (key: Params<Key>) => live(key));
const lockShared = statement('rbac_share_tenant', (key: Params<Key>) => live(key).forShare());
const bumpVersion = statement('rbac_bump_tenant', ({ tenant, id }: Params<Key>) =>
  query
    .updateTable('tenants')
    .set(({ eb }) => ({ version: eb('version', '+', 1), ...changedNow }))
    .where('tenant', '=', tenant)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returning('version'),
);
const findTenant = statement('rbac_find_tenant', ({ tenant, id }: Params<Key>) =>
  query.selectFrom('tenants').select('deletedAt').where('tenant', '=', tenant).where('id', '=', id),
);
const insertTenant = statement('rbac_register_tenant', ({ tenant, id, rootId, projectId }: Params<Registration>) =>
  query
    .insertInto('tenants')
    .values({ tenant, id, rootId, projectId })
    .onConflict((conflict) => conflict.columns(['tenant', 'id']).doNothing()),
);
const insertDeleted = statement('rbac_bury_tenant', ({ tenant, id, rootId, projectId }: Params<Registration>) =>
  query
    .insertInto('tenants')
    .values({ tenant, id, rootId, projectId, deletedAt: sql<string>`now()` })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'id']).doUpdateSet(({ eb, fn }) => ({
        deletedAt: fn.coalesce('tenants.deletedAt', sql<string>`now()`),
        version: eb('tenants.version', '+', 1),
        ...changedNow,
      })),
    )
    .returning('version'),
);

function registrationOf(scope: ParsedScope): Registration {
  return { tenant: scope.tenant, id: scope.id, rootId: rootId(scope), projectId: scope.projectId ?? null };
}

/** Locks the scope with `lockOwn`, after its parent. */
async function lockScope(
  tx: Transaction,
  scope: ParsedScope,
  lockOwn: typeof lockShared | typeof bumpVersion,
): Promise<Versions | undefined> {
  const parent = parentScope(scope);
  const root = parent && (await tx.one(lockShared, { tenant: parent.tenant, id: parent.id }));
  if (parent !== undefined && root === undefined) return undefined;
  const own = await tx.one(lockOwn, { tenant: scope.tenant, id: scope.id });
  return own && { root: root?.version ?? own.version, own: own.version };
}

/**
 * For writes that change no permissions (tags): holds the scope until the commit without a new
 * version.
 */
export function holdScope(tx: Transaction, scope: ParsedScope): Promise<Versions | undefined> {
  return lockScope(tx, scope, lockShared);
}

/** `onChange` runs after the commit of a change, before its caller gets an answer. */
export function createTenantChanges(onChange: (change: TenantVersion) => void): TenantChanges {
  const report = (tx: Transaction, { id }: ParsedScope, version: number): void => tx.afterCommit(() => onChange({ id, version }));

  const bump: TenantChanges['bump'] = async (tx, scope) => {
    const versions = await lockScope(tx, scope, bumpVersion);
    if (versions !== undefined) report(tx, scope, versions.own);
    return versions;
  };

  return {
    bump,
    async bumpForEvent(tx, scope) {
      if ((await bump(tx, scope)) !== undefined) return true;
      for (const needed of [scope, parentScope(scope)]) {
        if (needed === undefined) continue;
        const known = await tx.one(findTenant, { tenant: needed.tenant, id: needed.id });
        if (known === undefined) throw new Error(`the ${needed.tenant} is not known yet`);
      }
      return false;
    },
    async register(tx, scope) {
      // Sent together, in this order.
      const [, found] = await Promise.all([
        tx.execute(insertTenant, registrationOf(scope)),
        tx.one(findLive, { tenant: scope.tenant, id: scope.id }),
      ]);
      if (found !== undefined) report(tx, scope, found.version);
      return found !== undefined;
    },
    async markDeleted(tx, scope) {
      const deleted = await tx.one(insertDeleted, registrationOf(scope));
      report(tx, scope, deleted?.version ?? Number.MAX_SAFE_INTEGER);
    },
  };
}

const insertPlace = statement('rbac_register_grant', (p: Params<{ id: string; rootId: string; productId: string; placeId: string }>) =>
  query
    .insertInto('tenants')
    .values({ tenant: 'organizationProject', id: p.id, rootId: p.rootId, productId: p.productId, placeId: p.placeId })
    .onConflict((conflict) => conflict.columns(['tenant', 'id']).doNothing()),
);
const placeOf = statement('rbac_find_place', (p: Params<{ id: string }>) =>
  query.selectFrom('tenants').where('tenant', '=', 'organizationProject').where('id', '=', p.id).select('placeId'),
);

/**
 * Registers an organization's use of another's project as a tenant, once for the pair. Returns its
 * place.
 */
export async function registerGrant(
  tx: Transaction,
  { id, organizationId, productId }: { readonly id: string; readonly organizationId: string; readonly productId: string },
): Promise<string> {
  await tx.execute(insertPlace, { id, rootId: organizationId, productId, placeId: newId() });
  const found = await tx.one(placeOf, { id });
  if (found?.placeId == null) throw new Error('this scope is a project of its own');
  return found.placeId;
}

export async function setSessionPolicy(tx: Transaction, organizationId: string, policy: SessionPolicy): Promise<void> {
  await tx.execute(query.updateTable('tenants').set(policy).where('tenant', '=', 'organization').where('id', '=', organizationId));
}

/** Null: members may come in any way. */
export async function setEnforcement(tx: Transaction, organizationId: string, enforcement: EnforcedConnections | null): Promise<void> {
  const ofOrganization = query.updateTable('tenants').where('tenant', '=', 'organization').where('id', '=', organizationId);
  await tx.execute(ofOrganization.set({ enforcement: enforcement === null ? null : sql`${JSON.stringify(enforcement)}::jsonb` }));
}

/** `requestsPerMinute` undefined: as before. */
type Restriction = { readonly isSuspended: boolean; readonly requestsPerMinute?: number | null | undefined };

/** Of an account or organization; it holds for their projects too. */
export async function restrict(tx: Transaction, { tenant, id }: Key, { isSuspended, requestsPerMinute }: Restriction): Promise<void> {
  const limit = requestsPerMinute === undefined ? {} : { requestsPerMinute };
  await tx.execute(
    query
      .updateTable('tenants')
      .set({ isSuspended, ...limit })
      .where('tenant', '=', tenant)
      .where('id', '=', id),
  );
}

const changedTenants = statement('rbac_changed_tenants', ({ seconds }: Params<{ seconds: number }>) =>
  query
    .selectFrom('tenants')
    .select(['id', 'version'])
    .where('changedAt', '>', sql<string>`clock_timestamp() - ${seconds} * interval '1 second'`),
);

/**
 * A change is dated when it is made and visible when it commits, at most one transaction later. The
 * rest is a margin.
 */
const longestWriteSeconds = defaultTransactionTimeoutMs / 1_000 + 5;

/** Every tenant whose change may have become visible within these seconds. */
export function listChanged(database: Database, withinSeconds: number): Promise<TenantVersion[]> {
  return database.query(changedTenants, { seconds: longestWriteSeconds + withinSeconds });
}

const projectScopes = statement('rbac_project_scopes', ({ projectIds }: Params<{ projectIds: readonly string[] }>) =>
  query
    .selectFrom('tenants')
    .select(['tenant', 'id', 'projectId'])
    .where('projectId', '=', ({ fn }) => fn.any(projectIds))
    .where('deletedAt', 'is', null),
);

/** The scopes of projects that are known by their id alone (federated references). */
export async function scopesOfProjects(database: Database, projectIds: readonly string[]): Promise<Map<string, Scope>> {
  const rows = await database.query(projectScopes, { projectIds });
  return new Map(rows.map(({ tenant, id, projectId }) => [projectId ?? '', { tenant, id }]));
}
