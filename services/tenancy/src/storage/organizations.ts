import { type PageRequest, type Params, pageList, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Organization, Security } from '../domain/organization.ts';
import { slugCandidates } from '../domain/slug.ts';
import { deleteDomainsOf } from './domains.ts';
import { type EndedGrant, endGrants } from './project-grants.ts';
import { deleteProjectsOf, lockProjectsOf } from './projects.ts';
import { changedNow, type Db, now, query } from './query.ts';

const columns = ['id', 'name', 'slug', 'metadata', 'security', 'createdAt', 'updatedAt', 'deletedAt'] as const;
const living = query.selectFrom('organizations').where('deletedAt', 'is', null);

/** The scope in which an organization is seen: its own, or that of a member's account. */
export type OrganizationView = 'organization' | 'account';

/**
 * The pivot decides which organizations a scope sees: its own, or those of the account's owner. The
 * latter come from a database function as an array, so that Postgres looks them up by key.
 */
function isVisible(view: OrganizationView) {
  return ({ exists, selectFrom }: ExpressionBuilder<Db, 'organizations'>) =>
    view === 'account'
      ? sql<SqlBool>`organizations.id = any(array(select organization_id from account_memberships()))`
      : exists(selectFrom('organization_users as m').whereRef('m.organizationId', '=', 'organizations.id'));
}

/**
 * Adds the organization to the tenant settings of an account's transaction. Call it only for a new
 * organization, or for one that `findOrganization` has returned in this transaction.
 */
export async function setOrganizationScope(tx: Transaction, id: string): Promise<void> {
  await tx.query(
    query.selectNoFrom(({ fn, val }) => fn('set_config', [val('app.current_organization_id'), val(id), val(true)]).as('setting')),
  );
}

type NewOrganization = { id: string; name: string; slug: string; metadata: Record<string, unknown>; createdBy: string };

/**
 * Takes the first free slug. Concurrent transactions with the same name wait for each other here,
 * and all succeed.
 */
export async function insertOrganization(tx: Transaction, organization: NewOrganization): Promise<Organization> {
  for (const slug of slugCandidates(organization.slug, organization.id)) {
    const row = await tx.one(
      query
        .insertInto('organizations')
        .values({ ...organization, slug })
        .onConflict((conflict) => conflict.constraint('organizations_slug').doNothing())
        .returning(columns),
    );
    if (row) return row;
  }
  throw new Error(`no free slug for ${organization.slug}`);
}

const findSecurityQuery = statement('organizations_find_security', (p: Params<{ id: string }>) =>
  living.where('id', '=', p.id).select('security'),
);

/** Undefined for an organization that is unknown or deleted. For other services, in no scope. */
export async function findSecurity(db: Pick<Transaction, 'query'>, id: string): Promise<Security | undefined> {
  return (await db.query(findSecurityQuery, { id }))[0]?.security;
}

function findIn(view: OrganizationView) {
  return (p: Params<{ id: string }>) => living.where('id', '=', p.id).where(isVisible(view)).select(columns);
}
const find = {
  organization: statement('organizations_find', findIn('organization')),
  account: statement('organizations_find_of_account', findIn('account')),
};

/** Neither deleted nor about to be. */
export async function organizationLives(db: Pick<Transaction, 'query'>, id: string): Promise<boolean> {
  return (await db.query(living.where('id', '=', id).where('closingFor', 'is', null).select('id'))).length > 0;
}

/** Undefined if it does not exist, is deleted or is not visible in the scope. */
export function findOrganization(tx: Transaction, view: OrganizationView, id: string): Promise<Organization | undefined> {
  return tx.one(find[view], { id });
}

const lock = statement('organizations_lock', (p: Params<{ id: string }>) => findIn('organization')(p).forShare('organizations'));

/** Finds it and locks it against deletion until the commit. Undefined if it is deleted already. */
export function lockOrganization(tx: Transaction, id: string): Promise<Organization | undefined> {
  return tx.one(lock, { id });
}

/** The same for a change of it: no other change comes in between. */
export function lockOrganizationForUpdate(tx: Transaction, id: string): Promise<Organization | undefined> {
  return tx.one(living.where('id', '=', id).where(isVisible('organization')).select(columns).forUpdate('organizations'));
}

function listOf(from: typeof living) {
  return {
    name: 'organizations_page',
    from,
    select: (rows: typeof living) => rows.select(columns),
    search: ['name', 'slug'] as const,
    sort: { fields: { name: 'name', slug: 'slug', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'name' },
    id: 'id',
  } as const;
}
const ofAccount = pageList(() => listOf(living.where(isVisible('account'))));
const itself = pageList((p: Params<{ id: string }>) => listOf(living.where('id', '=', p.id).where(isVisible('organization'))));

/** `organizationId` is undefined in an account's scope; an organization's scope lists itself. */
export function pageOrganizations(tx: Transaction, organizationId: string | undefined, input: PageRequest) {
  return organizationId === undefined ? ofAccount(tx, {}, input) : itself(tx, { id: organizationId }, input);
}

const ofUsers = statement('organizations_of_users', (p: Params<{ userIds: readonly string[] }>) =>
  query
    .selectFrom('organization_users as m')
    .innerJoin('organizations as o', 'o.id', 'm.organizationId')
    .where('m.userId', '=', ({ fn }) => fn.any(p.userIds))
    .where('o.deletedAt', 'is', null)
    .select(['m.userId', 'o.id', 'o.name', 'o.slug', 'o.metadata', 'o.security', 'o.createdAt', 'o.updatedAt', 'o.deletedAt'])
    .orderBy('o.name')
    .orderBy('o.id'),
);

/**
 * All organizations of which these users are members. Runs as the owner, for relations that are
 * authorized already.
 */
export function listOrganizationsOfUsers(db: Pick<Transaction, 'query'>, userIds: readonly string[]) {
  return db.query(ofUsers, { userIds });
}

const byIds = statement('organizations_by_ids', (p: Params<{ ids: readonly string[] }>) =>
  living.where('id', '=', ({ fn }) => fn.any(p.ids)).select(columns),
);

/** Runs as the owner, for GraphQL references whose parent is authorized. */
export function findOrganizations(db: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<Organization[]> {
  return db.query(byIds, { ids });
}

type Changes = {
  name?: string | undefined;
  security?: Security | undefined;
  metadata?: Record<string, unknown> | undefined;
  deletedAt?: typeof now;
};

/**
 * A field that is left out keeps its value, and so does the slug. Works only in the organization's
 * own scope.
 */
export function updateOrganization(tx: Transaction, id: string, changes: Changes): Promise<Organization | undefined> {
  return tx.one(
    query
      .updateTable('organizations')
      .set({ ...changes, updatedAt: changedNow })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .where(isVisible('organization'))
      .returning(columns),
  );
}

const membersOf = statement('organizations_count_members', (p: Params<{ id: string }>) =>
  query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.id)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);
async function countMembers(tx: Transaction, id: string): Promise<number> {
  return Number((await tx.one(membersOf, { id }))?.count ?? 0);
}

type DeletedOrganization = {
  readonly organization: Organization;
  readonly projectIds: string[];
  /** Of its projects to others, and of others' projects to it. */
  readonly grants: readonly EndedGrant[];
  /** What went along with it. */
  readonly counts: { readonly members: number; readonly projects: number; readonly invitations: number; readonly domains: number };
};

/**
 * Deletes an organization with its projects, and revokes its invitations. Membership rows stay, but
 * every read requires a living organization. Undefined if it is deleted already.
 */
export async function deleteOrganization(tx: Transaction, id: string, hard: boolean): Promise<DeletedOrganization | undefined> {
  // Invitations before the organization, in the order that accepting locks them: the two cannot
  // deadlock.
  const invitations = await tx.execute(
    query
      .updateTable('organization_invitations')
      .set({ status: 'revoked', updatedAt: now })
      .where('organizationId', '=', id)
      .where('status', '=', 'pending'),
  );
  const organization = await updateOrganization(tx, id, { deletedAt: now });
  if (!organization) return undefined;
  const members = await countMembers(tx, id);
  // Before the grants: no other is made while these end.
  await lockProjectsOf(tx, id);
  const grants = await endGrants(tx, { organizationId: id });
  const domains = await deleteDomainsOf(tx, id);
  const projects = await deleteProjectsOf(tx, 'organization', [id], hard);
  if (hard) await tx.execute(query.deleteFrom('organizations').where('id', '=', id));
  const counts = { members, projects: projects.length, invitations, domains };
  return { organization, projectIds: projects.map((project) => project.id), grants, counts };
}
