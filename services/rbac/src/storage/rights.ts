import { createBatcher } from '@tessera/kernel/grpc';
import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import type { TenantPolicy } from '../domain/decision.ts';
import { compileRights, type HeldGroup, type HeldPath, type HeldPermission, type HeldRole, type Rights } from '../domain/rights.ts';
import type { Versions } from './tenants.ts';

/** Whose rights are read: a user's, or those of one role (project API keys). */
export type Holder = { readonly userId: string; readonly roleId?: string | undefined };
/** By both: the rights of a role have the member's metadata of the person who acts by it. */
export function keyOf({ tenant, id }: Scope, { userId, roleId }: Holder): string {
  return roleId === undefined ? `${tenant} ${id} ${userId}` : `${tenant} ${id} ${userId} ${roleId}`;
}

/** `weight`: the bytes that they had as JSON, by which the cache bounds its memory. */
export type LoadedRights = {
  readonly rights: Rights;
  readonly versions: Versions;
  readonly weight: number;
  readonly policy: TenantPolicy | null;
};

// Text, because Kysely has no table functions: `subject_rights` (migration 005) returns JSON, whose
// type stands below.
const subjectRights = statement('rbac_subject_rights', 'SELECT * FROM subject_rights($1, $2, $3, $4, $5, $6, $7, $8)');
const rightsOfMany = statement(
  'rbac_rights_of_many',
  `SELECT asked.place, rights.*, octet_length(rights.roles::text) + octet_length(rights.paths::text) + octet_length(rights.member::text) AS weight,
          (SELECT jsonb_build_object('requireSecondFactor', t.require_second_factor, 'maxSessionAgeMinutes', t.max_session_age_minutes,
                                     'isSuspended', t.is_suspended, 'requestsPerMinute', t.requests_per_minute)
           FROM tenants t WHERE t.tenant = CASE WHEN asked.organization IS NULL THEN 'account' ELSE 'organization' END
             AND t.id = coalesce(asked.organization, asked.account)::text) AS policy
   FROM unnest($2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[]) WITH ORDINALITY
     AS asked (tenant, id, account, organization, project, subject, only_role, place)
   CROSS JOIN LATERAL subject_rights($1, asked.tenant, asked.id, asked.account, asked.organization, asked.project, asked.subject, asked.only_role) AS rights`,
);

type Row = {
  readonly root_version: number;
  readonly own_version: number;
  readonly weight?: number;
  readonly policy?: TenantPolicy | null;
  readonly roles: readonly HeldRole[];
  readonly paths: {
    readonly groups: readonly HeldGroup[];
    readonly permissions: readonly HeldPermission[];
    readonly links: readonly (readonly [roleId: string, groupId: string, permissionId: string])[];
  };
  readonly member: Json;
};

function byId<Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item.id, item]));
}

function pathsOf({ roles, paths }: Row): HeldPath[] {
  const roleById = byId(roles);
  const groupById = byId(paths.groups);
  const permissionById = byId(paths.permissions);
  return paths.links.flatMap(([roleId, groupId, permissionId]) => {
    const role = roleById.get(roleId);
    const group = groupById.get(groupId);
    // Permissions of an inactive resource, or of an action that it has no more, are not among them.
    const permission = permissionById.get(permissionId);
    return role && group && permission ? [{ role, group, permission }] : [];
  });
}

function rightsOf(row: Row): LoadedRights {
  return {
    rights: compileRights(row.roles, pathsOf(row), row.member),
    versions: { root: row.root_version, own: row.own_version },
    weight: row.weight ?? 0,
    policy: row.policy ?? null,
  };
}

function parametersOf({ scope, holder }: Question): readonly (string | null)[] {
  const { accountId = null, organizationId = null, projectId = null } = scope;
  return [scope.tenant, scope.id, accountId, organizationId, projectId, holder.userId, holder.roleId ?? null];
}

function columnsOf(rows: readonly (readonly (string | null)[])[]): (string | null)[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((values) => values[column] ?? null));
}

type Question = { readonly scope: ParsedScope; readonly holder: Holder };

/**
 * Reads the rights of a holder in a scope as the restricted role; undefined when the scope is
 * unknown or deleted. All reads of one tick are one statement: the SQL function enters each scope
 * by itself.
 */
export function createRightsReader(database: Database): (scope: ParsedScope, holder: Holder) => Promise<LoadedRights | undefined> {
  const role = database.rlsEnabled ? (database.restrictedRole ?? null) : null;
  const ask = createBatcher<Question, LoadedRights | undefined>({
    maxSize: 100,
    run: async (questions) => {
      const distinct = new Map(questions.map((question) => [keyOf(question.scope, question.holder), parametersOf(question)]));
      const rows = await database.query<Row & { place: number }>(rightsOfMany, [role, ...columnsOf([...distinct.values()])]);
      const keys = [...distinct.keys()];
      const found = new Map(rows.map((row) => [keys[row.place - 1], rightsOf(row)]));
      return questions.map(({ scope, holder }) => found.get(keyOf(scope, holder)));
    },
  });
  return (scope, holder) => ask({ scope, holder });
}

/** Reads the rights inside a transaction that has entered the scope. */
export async function loadRightsWithin(tx: Transaction, scope: ParsedScope, holder: Holder): Promise<LoadedRights | undefined> {
  const row = await tx.one<Row>(subjectRights, [null, ...parametersOf({ scope, holder })]);
  return row && rightsOf(row);
}
