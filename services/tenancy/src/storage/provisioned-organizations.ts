/** Organizations that service accounts made. Everything here runs as the owner of the tables. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type SqlBool, sql } from 'kysely';
import type { Invitation } from '../domain/invitation.ts';
import type { Organization } from '../domain/organization.ts';
import type { ProjectGrant } from '../domain/project-grant.ts';
import { findInvitation } from './invitations.ts';
import { findOrganizations } from './organizations.ts';
import { findGrant } from './project-grants.ts';
import { query } from './query.ts';

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

const awaiting = statement('provisioned_awaiting', ({ id }: Params<{ id: string }>) =>
  query
    .selectFrom('provisioned_organizations as p')
    .where('p.organizationId', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('organization_users as m').whereRef('m.organizationId', '=', 'p.organizationId').select('m.userId'))),
    )
    .select('p.organizationId'),
);

/** Whether it was made for an Owner who has not come yet. */
export async function awaitsOwner(db: Pick<Transaction, 'query'>, id: string): Promise<boolean> {
  return (await db.query(awaiting, { id })).length > 0;
}

const members = statement('provisioned_members', ({ id }: Params<{ id: string }>) =>
  query.selectNoFrom(({ exists, selectFrom }) =>
    exists(selectFrom('organization_users').where('organizationId', '=', id).select('userId')).as('hasMembers'),
  ),
);

/** Whether it has a member. */
export async function hasMembers(db: Pick<Transaction, 'query'>, id: string): Promise<boolean> {
  return (await db.query(members, { id }))[0]?.hasMembers === true;
}

const lastInvitation = statement('provisioned_invitation', ({ id, roleId }: Params<{ id: string; roleId: string }>) =>
  query
    .selectFrom('organization_invitations')
    .where('organizationId', '=', id)
    .where('roleId', '=', roleId)
    .select('id')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** The last invitation of the organization's first Owner. */
export async function findOwnerInvitation(tx: Transaction, id: string, roleId: string): Promise<Invitation | undefined> {
  const found = await tx.one(lastInvitation, { id, roleId });
  return found && findInvitation(tx, id, found.id);
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
