import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parentScope, rootId, type Scope } from '@tessera/kernel/scope';

/** An account, organization or project by its scope's id, and its version after a change. */
export type TenantVersion = { readonly id: string; readonly version: number };

const changes = new WeakMap<Transaction, TenantVersion[]>();
function noteChange(tx: Transaction, scope: ParsedScope, version: number): void {
  changes.get(tx)?.push({ id: scope.id, version });
}

/**
 * The database, with one thing added: what a transaction changed is announced right after its commit, before anybody gets an answer.
 * A transaction that rolls back announces nothing.
 */
export function announcing(database: Database, announce: (changes: readonly TenantVersion[]) => void): Database {
  const withAnnouncement = async <T>(run: (wrap: (tx: Transaction) => Transaction) => Promise<T>): Promise<T> => {
    const noted: TenantVersion[] = [];
    const result = await run((tx) => {
      changes.set(tx, noted);
      return tx;
    });
    if (noted.length > 0) announce(noted);
    return result;
  };
  return {
    ...database,
    transaction: (work, options) => withAnnouncement((wrap) => database.transaction((tx) => work(wrap(tx)), options)),
    scoped: (scope, work, options) => withAnnouncement((wrap) => database.scoped(scope, (tx) => work(wrap(tx)), options)),
  };
}

const shareTenant = statement(
  'rbac_share_tenant',
  `SELECT version FROM tenants WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE`,
);
const bumpTenant = statement(
  'rbac_bump_tenant',
  `UPDATE tenants SET version = version + 1, changed_at = clock_timestamp() WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL RETURNING version`,
);

/** The versions of a scope: of the account or organization, and of the scope itself (the same unless it is a project). */
export type Versions = { readonly root: number; readonly own: number };
type VersionRow = { version: number };

/**
 * Opens a write: from here to the commit nobody else changes this tenant, and its parent stands still.
 * Parents are locked before children, always. Undefined when the scope, or what it lies in, is gone.
 */
export async function bumpScope(tx: Transaction, scope: ParsedScope): Promise<Versions | undefined> {
  const parent = parentScope(scope);
  const root = parent && (await tx.one<VersionRow>(shareTenant, [parent.tenant, parent.id]));
  if (parent !== undefined && root === undefined) return undefined;
  const own = await tx.one<VersionRow>(bumpTenant, [scope.tenant, scope.id]);
  if (own === undefined) return undefined;
  noteChange(tx, scope, own.version);
  return { root: root?.version ?? own.version, own: own.version };
}

/** Like bumpScope for writes that change nobody's rights (tags): the scope stays, its version too. */
export async function holdScope(tx: Transaction, scope: ParsedScope): Promise<Versions | undefined> {
  const parent = parentScope(scope);
  const root = parent && (await tx.one<VersionRow>(shareTenant, [parent.tenant, parent.id]));
  if (parent !== undefined && root === undefined) return undefined;
  const own = await tx.one<VersionRow>(shareTenant, [scope.tenant, scope.id]);
  return own && { root: root?.version ?? own.version, own: own.version };
}

const findTenant = statement('rbac_find_tenant', 'SELECT deleted_at IS NOT NULL AS "isDeleted" FROM tenants WHERE tenant = $1 AND id = $2');

/**
 * For events about a tenant: true when the write is open; false when the tenant was deleted and the event came too late.
 * Throws when the tenant is not known yet: the event comes again after the one that creates it.
 */
export async function openForEvent(tx: Transaction, scope: ParsedScope): Promise<boolean> {
  if ((await bumpScope(tx, scope)) !== undefined) return true;
  for (const needed of [scope, parentScope(scope)]) {
    if (needed === undefined) continue;
    const known = await tx.one<{ isDeleted: boolean }>(findTenant, [needed.tenant, needed.id]);
    if (known === undefined) throw new Error(`the ${needed.tenant} is not known yet`);
  }
  return false;
}

const registerTenant = statement(
  'rbac_register_tenant',
  `INSERT INTO tenants (tenant, id, root_id, project_id) VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, id) DO NOTHING`,
);
const findLive = statement('rbac_find_live_tenant', `SELECT version FROM tenants WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL`);

/** Registers a tenant once. False when it was deleted before: 'created' came after 'deleted' and must do nothing. */
export async function registerScope(tx: Transaction, scope: ParsedScope): Promise<boolean> {
  await tx.execute(registerTenant, [scope.tenant, scope.id, rootId(scope), scope.projectId ?? null]);
  const live = await tx.one<VersionRow>(findLive, [scope.tenant, scope.id]);
  if (live !== undefined) noteChange(tx, scope, live.version);
  return live !== undefined;
}

const buryTenant = statement(
  'rbac_bury_tenant',
  `INSERT INTO tenants (tenant, id, root_id, project_id, deleted_at) VALUES ($1, $2, $3, $4, now())
   ON CONFLICT (tenant, id) DO UPDATE SET deleted_at = coalesce(tenants.deleted_at, now()), version = tenants.version + 1, changed_at = clock_timestamp()
   RETURNING version`,
);

/** Marks a tenant deleted, known or not; it never comes back. */
export async function buryScope(tx: Transaction, scope: ParsedScope): Promise<void> {
  const buried = await tx.one<VersionRow>(buryTenant, [scope.tenant, scope.id, rootId(scope), scope.projectId ?? null]);
  noteChange(tx, scope, buried?.version ?? Number.MAX_SAFE_INTEGER);
}

const changedTenants = statement(
  'rbac_changed_tenants',
  `SELECT id, version FROM tenants WHERE changed_at > clock_timestamp() - $1 * interval '1 second'`,
);

/** A change is dated when it is made and seen when it is committed: no write transaction lasts longer than this. */
const longestWriteSeconds = 20;

/** Every tenant whose change may have become visible within these seconds. */
export function listChanged(database: Database, withinSeconds: number): Promise<TenantVersion[]> {
  return database.query<TenantVersion>(changedTenants, [longestWriteSeconds + withinSeconds]);
}

const projectScopes = statement(
  'rbac_project_scopes',
  `SELECT tenant, id, project_id AS "projectId" FROM tenants WHERE project_id = ANY ($1::uuid[]) AND deleted_at IS NULL`,
);

/** The scopes of projects known by their id alone (federated references). */
export async function scopesOfProjects(database: Database, projectIds: readonly string[]): Promise<Map<string, Scope>> {
  const rows = await database.query<Scope & { projectId: string }>(projectScopes, [projectIds]);
  return new Map(rows.map(({ tenant, id, projectId }) => [projectId, { tenant, id }]));
}
