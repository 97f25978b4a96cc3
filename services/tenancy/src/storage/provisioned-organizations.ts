/** Organizations that service accounts made. Everything here runs as the owner of the tables. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type SqlBool, sql } from 'kysely';
import type { Invitation } from '../domain/invitation.ts';
import type { Organization } from '../domain/organization.ts';
import type { ProjectGrant } from '../domain/project-grant.ts';
import { findInvitation } from './invitations.ts';
import { findMember } from './members.ts';
import { findOrganizations } from './organizations.ts';
import { findGrant } from './project-grants.ts';
import { now, query } from './query.ts';

/** 'platform', or the id of the organization whose service account makes others. */
export type Place = string;
type Named = { readonly place: Place; readonly externalId: string };

const lock = statement('provisioned_lock', "SELECT pg_advisory_xact_lock(hashtextextended('provisioned ' || $1 || ' ' || $2, 0)) AS lock");
const find = statement('provisioned_find', ({ place, externalId }: Params<Named>) =>
  query
    .selectFrom('provisioned_organizations as p')
    .innerJoin('organizations as o', 'o.id', 'p.organizationId')
    .where('p.place', '=', place)
    .where('p.externalId', '=', externalId)
    .select('o.id')
    .select(sql<boolean>`o.deleted_at IS NOT NULL`.as('isDeleted')),
);

/**
 * The organization that has this name of its maker. The name is locked until the commit: a second
 * request waits, and finds what the first made. A deleted one gives the name back.
 */
export async function lockProvisioned(tx: Transaction, named: Named): Promise<Organization | undefined> {
  await tx.query(lock, [named.place, named.externalId]);
  const found = await tx.one(find, named);
  if (found === undefined) return undefined;
  if (!found.isDeleted) return (await findOrganizations(tx, [found.id]))[0];
  await tx.execute(query.updateTable('provisioned_organizations').set({ externalId: null }).where('organizationId', '=', found.id));
  return undefined;
}

type New = { readonly organizationId: string; readonly place: Place; readonly externalId: string | null };

export async function insertProvisioned(tx: Transaction, provisioned: New): Promise<void> {
  await tx.execute(query.insertInto('provisioned_organizations').values(provisioned));
}

const provisioner = statement('provisioned_provisioner', ({ id }: Params<{ id: string }>) =>
  query
    .selectFrom('tenant_restrictions as r')
    .innerJoin('organizations as o', 'o.id', 'r.tenantId')
    .where('r.tenantId', '=', id)
    .where('r.canProvision', '=', true)
    .where('r.suspendedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .select('o.name'),
);
const lockProvisioner = statement('provisioned_lock_provisioner', ({ id }: Params<{ id: string }>) =>
  query
    .selectFrom('tenant_restrictions')
    .where('tenantId', '=', id)
    .where('canProvision', '=', true)
    .where('suspendedAt', 'is', null)
    .select('tenantId')
    .forShare(),
);

/** Whether the operator lets the organization make others. */
export async function mayProvision(db: Pick<Transaction, 'query'>, id: string): Promise<boolean> {
  return (await db.query(provisioner, { id })).length > 0;
}

/** The same until the commit: who takes that away waits for it. */
export async function mayProvisionUntilCommit(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.one(lockProvisioner, { id })) !== undefined;
}

/** Of the platform's accounts it is not known here. */
async function mayStillProvision(db: Pick<Transaction, 'query'>, place: Place): Promise<boolean> {
  return place === 'platform' || mayProvision(db, place);
}

/** Whom an organization awaits: who takes an invitation for its role Owner. */
type First = { readonly organizationId: string; readonly roleId: string };
type Taken = First & { readonly id: string; readonly invitedBy: string };

const come = statement('provisioned_owner_come', (p: Params<First & { except: string | null }>) =>
  query.selectNoFrom(({ exists, or, selectFrom }) =>
    or([
      exists(selectFrom('organization_users').where('organizationId', '=', p.organizationId).select('userId')),
      // Later without a member it is still not its maker's.
      exists(
        selectFrom('organization_invitations')
          .where('organizationId', '=', p.organizationId)
          .where('roleId', '=', p.roleId)
          .where('status', '=', 'accepted')
          .where(sql<SqlBool>`id IS DISTINCT FROM ${p.except}::uuid`)
          .select('id'),
      ),
    ]).as('hasCome'),
  ),
);

/** Whether it has a member, or had an Owner. `except`: an invitation that is being accepted. */
export async function hasOwnerCome(db: Pick<Transaction, 'query'>, first: First, except: string | null = null): Promise<boolean> {
  const { organizationId, roleId } = first;
  return (await db.query(come, { organizationId, roleId, except }))[0]?.hasCome === true;
}

const placeOf = statement('provisioned_place', ({ id }: Params<{ id: string }>) =>
  query.selectFrom('provisioned_organizations').where('organizationId', '=', id).select('place'),
);

/**
 * Whether an invitation is for the first Owner of a provisioned organization, and whether its maker
 * may still provision.
 */
export async function findAwaiting(db: Pick<Transaction, 'query'>, first: First) {
  const [made] = await db.query(placeOf, { id: first.organizationId });
  if (made === undefined || (await hasOwnerCome(db, first))) return undefined;
  return { mayCome: await mayStillProvision(db, made.place) };
}

/** Until the commit no person joins: joining locks the organization too. */
export async function lockOrganizationForOwner(tx: Transaction, id: string): Promise<void> {
  await tx.query(query.selectFrom('organizations').where('id', '=', id).select('id').forNoKeyUpdate());
}

/**
 * Whether an invitation for the role Owner may be taken now: of two first Owners the second waits,
 * and finds the first. After that a member invites. The caller has locked the invitation.
 */
export async function mayBecomeOwner(tx: Transaction, { id, organizationId, roleId, invitedBy }: Taken): Promise<boolean> {
  const made = await tx.one(placeOf, { id: organizationId });
  if (made === undefined) return true;
  await lockOrganizationForOwner(tx, organizationId);
  if (!(await hasOwnerCome(tx, { organizationId, roleId }, id))) return mayStillProvision(tx, made.place);
  return (await findMember(tx, organizationId, invitedBy)) !== undefined;
}

/** The open ones for its first Owner, which wait for one that is being taken. */
export async function revokeOwnerInvitations(tx: Transaction, { organizationId, roleId }: First): Promise<void> {
  await tx.execute(
    query
      .updateTable('organization_invitations')
      .set({ status: 'revoked', updatedAt: now })
      .where('organizationId', '=', organizationId)
      .where('roleId', '=', roleId)
      .where('status', '=', 'pending'),
  );
}

const lastInvitation = statement('provisioned_invitation', ({ organizationId, roleId }: Params<First>) =>
  query
    .selectFrom('organization_invitations')
    .where('organizationId', '=', organizationId)
    .where('roleId', '=', roleId)
    .select('id')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** The last invitation of the organization's first Owner. */
export async function findOwnerInvitation(tx: Transaction, first: First): Promise<Invitation | undefined> {
  const found = await tx.one(lastInvitation, first);
  return found && findInvitation(tx, first.organizationId, found.id);
}

const lastGrants = statement('provisioned_grants', ({ id, projectIds }: Params<{ id: string; projectIds: readonly string[] }>) =>
  query
    .selectFrom('project_grants')
    .distinctOn('projectId')
    .where('organizationId', '=', id)
    .where(sql<SqlBool>`project_id = ANY (${projectIds}::uuid[])`)
    .select('id')
    .orderBy('projectId')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);

/** What the organization has, or last had, of each of these projects. */
export async function findGrantsOf(tx: Transaction, id: string, projectIds: readonly string[]): Promise<ProjectGrant[]> {
  const rows = await tx.query(lastGrants, { id, projectIds });
  const grants = await Promise.all(rows.map((row) => findGrant(tx, { organizationId: id }, row.id)));
  return grants.flatMap((grant) => grant ?? []);
}
