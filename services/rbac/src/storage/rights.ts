import { createBatcher } from '@tessera/kernel/grpc';
import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, type Scope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import type { Enforcement, TenantPolicy } from '../domain/decision.ts';
import { readsGrantPath } from '../domain/escalation.ts';
import { countsForOwnersApp, countsInGrant } from '../domain/grants.ts';
import {
  compileRights,
  type HeldGroup,
  type HeldPath,
  type HeldPermission,
  type HeldRole,
  limitRights,
  type Rights,
} from '../domain/rights.ts';
import type { PlaceRow, Places } from './places.ts';
import type { Versions } from './tenants.ts';

/** Whose rights are read: a user's, or those of one role (project API keys). */
export type Holder = {
  readonly userId: string;
  readonly roleId?: string | undefined;
  /** The owner's machine app where an organization uses the project: its role is the project's. */
  readonly isOwners?: boolean | undefined;
  /** Else a person: the id of the other kind holds nothing. */
  readonly isServiceAccount?: boolean | undefined;
};
/** By both: the rights of a role have the member's metadata of the person who acts by it. */
export function keyOf({ tenant, id }: Scope, { userId, roleId, isOwners, isServiceAccount }: Holder): string {
  if (isServiceAccount === true) return `${tenant} ${id} ${userId} service`;
  if (isOwners === true) return `${tenant} ${id} ${userId} ${roleId} owner`;
  return roleId === undefined ? `${tenant} ${id} ${userId}` : `${tenant} ${id} ${userId} ${roleId}`;
}

/** `weight`: the bytes that they had as JSON, by which the cache bounds its memory. */
export type LoadedRights = {
  readonly rights: Rights;
  readonly versions: Versions;
  readonly weight: number;
  readonly policy: TenantPolicy | null;
};

/** Where an organization uses another's project: the state and terms of the grant. */
type Granted = { readonly isActive: boolean; readonly isEnded: boolean; readonly metadata: Json; readonly policy: TenantPolicy };

// Text, because Kysely has no table functions. They return JSON, whose type stands below. Those for
// many are functions too, because a function keeps its plan (migration 085).
const parameters = '($1, $2, $3, $4, $5, $6, $7, $8)';
/** By the platform: no role counts, nor does that of a key. */
const isBlocked = (userId: string) => `EXISTS (SELECT FROM blocked_people b WHERE b.user_id = ${userId}) AS "isBlocked"`;
const withBlock = (name: string, userId: string) => `SELECT rights.*, ${isBlocked(userId)} FROM ${name}${parameters} AS rights`;
const subject = '$7::uuid';
const subjectOfRow = '($7::uuid[])[rights.place::int]';
const subjectRights = statement('rbac_subject_rights', withBlock('subject_rights', subject));
const rightsOfMany = statement('rbac_rights_of_many', withBlock('rights_of_many', subjectOfRow));
const grantRights = statement('rbac_grant_rights', withBlock('grant_rights', subject));
const grantRightsOfMany = statement('rbac_grant_rights_of_many', withBlock('grant_rights_of_many', subjectOfRow));

type Row = {
  readonly root_version: number;
  readonly own_version: number;
  readonly weight?: number;
  readonly policy?: TenantPolicy | null;
  readonly enforcement?: Enforcement | null;
  readonly roles: readonly (HeldRole & { readonly source?: 'organization' | 'product' | 'custom' })[];
  readonly paths: {
    readonly groups: readonly HeldGroup[];
    readonly permissions: readonly HeldPermission[];
    readonly links: readonly (readonly [roleId: string, groupId: string, permissionId: string])[];
  };
  readonly member: Json;
  readonly product_version?: number;
  readonly owner_version?: number;
  readonly granted?: Granted;
  /** Of an organization's project: whether it is another's that it uses. */
  readonly situated?: PlaceRow | null;
  readonly isServiceAccount?: boolean;
  readonly isBlocked?: boolean;
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
  const { granted, enforcement, root_version: root, own_version: own, product_version: product = 0, owner_version: owner = 0 } = row;
  const enforced = enforcement == null ? {} : { enforcement };
  if (granted !== undefined)
    return {
      rights: { ...rightsInGrant(row), grantMetadata: granted.metadata },
      versions: { root, own, product, owner },
      weight: row.weight ?? 0,
      policy: { ...granted.policy, ...enforced, grant: granted.isActive ? 'active' : granted.isEnded ? 'ended' : 'suspended' },
    };
  return {
    rights: compileRights(row.roles, pathsOf(row), row.member),
    versions: { root, own },
    weight: row.weight ?? 0,
    policy: row.policy == null ? null : { ...row.policy, ...enforced },
  };
}

function isLeftOut(row: Row, holder: Holder): boolean {
  return row.isBlocked === true || isNamedWrongly(row, holder);
}
/**
 * A service account that is named as a person is answered like an unknown person. Who asks for one
 * role gets what that role has, and none of the account's.
 */
function isNamedWrongly({ isServiceAccount = false }: Row, holder: Holder): boolean {
  return isServiceAccount && holder.isServiceAccount !== true && holder.roleId === undefined;
}
function bare(row: Row): Row {
  return { ...row, roles: [], paths: { groups: [], permissions: [], links: [] }, member: {} };
}

/**
 * The customer writes the facts of its own roles and groups, so what a condition reads of them
 * would be its own word: such a permission counts by the product's roles alone.
 */
function rightsInGrant(row: Row): Rights {
  const custom = new Set(row.roles.flatMap(({ id, source }) => (source === 'custom' ? [id] : [])));
  const roles = row.roles.map(({ source: _, ...role }) => role);
  const paths = pathsOf({ ...row, roles }).filter(({ role, permission }) => !custom.has(role.id) || !readsGrantPath(permission));
  return compileRights(roles, paths, row.member, countsInGrant);
}

/** The parameters of `grant_rights` without the role. */
function grantParametersOf({ scope, holder }: Question): readonly (string | null)[] {
  const { id, organizationId = null, projectId = null, grant } = scope;
  if (grant === undefined) throw new Error('the scope is no grant');
  return [id, organizationId, projectId, grant.placeId, grant.product.id, holder.userId, holder.roleId ?? null];
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
export function createRightsReader(
  database: Database,
  places: Places,
): (scope: ParsedScope, holder: Holder) => Promise<LoadedRights | undefined> {
  const role = database.rlsEnabled ? (database.restrictedRole ?? null) : null;
  const ask = createBatcher<Question, LoadedRights | undefined>({
    maxSize: 100,
    run: async (questions) => {
      const asked = questions.map(({ scope, holder }) => ({ scope: places.known(scope), holder }));
      const [found, granted] = await Promise.all([
        readRows(database, rightsOfMany, { role, questions: asked.filter(({ scope }) => scope.grant === undefined), parametersOf }),
        readRows(database, grantRightsOfMany, {
          role,
          questions: asked.filter(({ scope }) => scope.grant !== undefined),
          parametersOf: grantParametersOf,
        }),
      ]);
      // What a scope is becomes known with its first read.
      const learned = asked.flatMap(({ scope, holder }) => {
        const situated = found.get(keyOf(scope, holder))?.situated;
        const placed = situated && places.learn(scope, situated);
        return placed?.grant === undefined ? [] : [{ scope: placed, holder }];
      });
      const late = await readRows(database, grantRightsOfMany, { role, questions: learned, parametersOf: grantParametersOf });
      return asked.map(({ scope, holder }) => {
        const key = keyOf(scope, holder);
        const row = late.get(key) ?? granted.get(key) ?? found.get(key);
        return row === undefined || (row.situated?.placeId ?? null) !== null
          ? undefined
          : rightsOf(isLeftOut(row, holder) ? bare(row) : row);
      });
    },
  });
  return (scope, holder) => (holder.isOwners === true ? askForOwner(scope, holder) : ask({ scope, holder }));

  async function askForOwner(named: ParsedScope, { userId, roleId }: Holder): Promise<LoadedRights | undefined> {
    const scope = await places.resolve(named);
    if (scope.grant === undefined || roleId === undefined) return undefined;
    const [inGrant, inProject] = await Promise.all([
      ask({ scope, holder: { userId, roleId } }),
      ask({ scope: parseScope(scope.grant.product), holder: { userId, roleId } }),
    ]);
    return inGrant && inProject && rightsOfOwner(inGrant, inProject);
  }
}

/**
 * The role's rights in the project, under the terms and demands of the grant. They were read apart:
 * the older version of both counts, so that a change between them is read again.
 */
function rightsOfOwner(inGrant: LoadedRights, inProject: LoadedRights): LoadedRights {
  const { grantMetadata } = inGrant.rights;
  const { root, own, product = 0, owner = 0 } = inGrant.versions;
  const { own: projectVersion, root: ownerVersion } = inProject.versions;
  return {
    rights: { ...limitRights(inProject.rights, countsForOwnersApp), ...(grantMetadata === undefined ? {} : { grantMetadata }) },
    versions: { root, own, product: Math.min(product, projectVersion), owner: Math.min(owner, ownerVersion) },
    weight: inGrant.weight + inProject.weight,
    policy: inGrant.policy,
  };
}

type Asked = {
  readonly role: string | null;
  readonly questions: readonly Question[];
  readonly parametersOf: (question: Question) => readonly (string | null)[];
};

async function readRows(database: Database, many: typeof rightsOfMany, { role, questions, parametersOf: parameters }: Asked) {
  if (questions.length === 0) return new Map<string, Row>();
  const distinct = new Map(questions.map((question) => [keyOf(question.scope, question.holder), parameters(question)]));
  const rows = await database.query<Row & { place: number }>(many, [role, ...columnsOf([...distinct.values()])]);
  const keys = [...distinct.keys()];
  return new Map<string, Row>(rows.map((row) => [keys[row.place - 1] ?? '', row]));
}
/** Reads the rights inside a transaction that has entered the scope. */
export async function loadRightsWithin(tx: Transaction, scope: ParsedScope, holder: Holder): Promise<LoadedRights | undefined> {
  const question = { scope, holder };
  const row =
    scope.grant === undefined
      ? await tx.one<Row>(subjectRights, [null, ...parametersOf(question)])
      : await tx.one<Row>(grantRights, [null, ...grantParametersOf(question)]);
  return row && rightsOf(row.isBlocked === true ? bare(row) : row);
}
