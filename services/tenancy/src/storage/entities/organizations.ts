import { column, pivot, references, table, timestamp } from '@tessera/kernel/postgres';
import type { Security } from '../../domain/organization.ts';
import { bytes, dates, metadata, name, personFields } from './fields.ts';
import { people } from './people.ts';

export const organizations = table(
  'organizations',
  {
    id: column.uuid().primary(),
    name: name(),
    slug: bytes(),
    metadata: metadata(),
    security: column.json<Security>().defaultRaw(`'{"requireSecondFactor": false, "maxSessionAgeMinutes": null, "allowEmailCode": true}'`),
    createdBy: column.uuid(),
    /** Set while the only member closes their accounts: no user may join. */
    closingFor: column.uuid().nullable(),
    ...dates(),
  },
  {
    uniques: [{ name: 'organizations_slug', properties: ['slug'] }],
    indexes: [{ name: 'organizations_closing', properties: ['closingFor'], where: 'closing_for IS NOT NULL' }],
  },
);

/** The members. Triggers count them in `organization_user_changes`. */
export const organizationUsers = pivot(
  'organization_users',
  {
    organizationId: references(organizations).primary(),
    userId: references(people).deleteRule('no action').primary(),
    ...personFields(),
    /** Taken back from the directory: what it says of the member changes nothing. */
    detachedAt: timestamp().nullable(),
    detachedBy: column.uuid().nullable(),
  },
  {
    tenant: ['organizationId'],
    indexes: [
      { name: 'organization_users_user', properties: ['userId'] },
      { name: 'organization_users_name', properties: ['organizationId', 'name', 'userId'], include: ['search'] },
      { name: 'organization_users_email', properties: ['organizationId', 'email', 'userId'], include: ['search'] },
      { name: 'organization_users_created', properties: ['organizationId', 'userCreatedAt', 'userId'], include: ['search'] },
      { name: 'organization_users_updated', properties: ['organizationId', 'userUpdatedAt', 'userId'], include: ['search'] },
      { name: 'organization_users_joined', properties: ['organizationId', 'joinedAt', 'userId'], include: ['search'] },
    ],
  },
);

/** People who left or were removed, whom the organization's own provider may not admit again. */
export const departedMembers = pivot(
  'departed_members',
  {
    organizationId: references(organizations).primary(),
    userId: column.uuid().primary(),
    departedAt: timestamp(),
  },
  { tenant: ['organizationId'], indexes: [{ name: 'departed_members_user', properties: ['userId'] }] },
);

/** Held for people whom identity is about to make. */
export const organizationPlaces = pivot(
  'organization_places',
  {
    organizationId: references(organizations).primary(),
    userId: column.uuid().primary(),
    heldUntil: timestamp(),
  },
  { tenant: ['organizationId'] },
);

/**
 * One row for each change of an organization's members. Their sum is the number of members, their
 * ids are its version (decision 009).
 */
export const organizationUserChanges = table(
  'organization_user_changes',
  { id: column.uuid().primary().defaultRaw('gen_random_uuid()'), organizationId: column.uuid(), change: column.bigint('number') },
  { indexes: [{ name: 'organization_user_changes_versions', properties: ['organizationId'], include: ['change', 'id'] }] },
);

/**
 * The people who go on reading the log of an organization that was deleted (decision 019). Read and
 * written by functions of the database alone.
 */
export const endedOrganizationReaders = table(
  'ended_organization_readers',
  {
    userId: column.uuid().primary(),
    organizationId: column.uuid().primary(),
    endedAt: timestamp().defaultRaw('now()'),
    /** Could take the log along as a file, too. */
    mayExport: column.boolean().defaultRaw('false'),
  },
  { indexes: [{ name: 'ended_organization_readers_ended', properties: ['endedAt'] }] },
);
