import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { compileRights, type HeldGroup, type HeldPath, type HeldPermission, type HeldRole, type Rights } from '../domain/rights.ts';
import type { Versions } from './tenants.ts';

/** Whose rights: a user's, or those of one role alone (project API keys). */
export type Holder = { readonly userId: string; readonly roleId?: string | undefined };
export type LoadedRights = { readonly rights: Rights; readonly versions: Versions };

const subjectRights = statement('rbac_subject_rights', 'SELECT * FROM subject_rights($1, $2, $3, $4, $5, $6, $7, $8)');

type Row = {
  readonly root_version: number;
  readonly own_version: number;
  readonly roles: readonly HeldRole[];
  readonly paths: {
    readonly groups: readonly HeldGroup[];
    readonly permissions: readonly HeldPermission[];
    readonly links: readonly (readonly [roleId: string, groupId: string, permissionId: string])[];
  };
};

const byId = <Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]));

const pathsOf = ({ roles, paths }: Row): HeldPath[] => {
  const roleById = byId(roles);
  const groupById = byId(paths.groups);
  const permissionById = byId(paths.permissions);
  return paths.links.flatMap(([roleId, groupId, permissionId]) => {
    const role = roleById.get(roleId);
    const group = groupById.get(groupId);
    // A permission whose resource is inactive, or has lost the action, is not among them: it gives nothing.
    const permission = permissionById.get(permissionId);
    return role && group && permission ? [{ role, group, permission }] : [];
  });
};

const load = async (run: Pick<Transaction, 'query'> | Pick<Database, 'query'>, role: string | null, scope: ParsedScope, holder: Holder) => {
  const { accountId = null, organizationId = null, projectId = null } = scope;
  const values = [role, scope.tenant, scope.id, accountId, organizationId, projectId, holder.userId, holder.roleId ?? null];
  const [row] = await run.query<Row>(subjectRights, values);
  if (row === undefined) return undefined;
  return { rights: compileRights(row.roles, pathsOf(row)), versions: { root: row.root_version, own: row.own_version } };
};

/** What a holder may do in a scope, read in one query as the restricted role; nothing when the scope is unknown or deleted. */
export const loadRights = (database: Database, scope: ParsedScope, holder: Holder): Promise<LoadedRights | undefined> =>
  load(database, database.rlsEnabled ? (database.restrictedRole ?? null) : null, scope, holder);

/** The same inside a transaction that is already in the scope. */
export const loadRightsWithin = (tx: Transaction, scope: ParsedScope, holder: Holder): Promise<LoadedRights | undefined> =>
  load(tx, null, scope, holder);
