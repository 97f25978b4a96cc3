import { column, pivot, references, timestamp } from '@tessera/kernel/postgres';
import { directoryUsers } from './directory.ts';
import { bytes, type JsonObject } from './fields.ts';
import { organizations } from './organizations.ts';

/** The groups that a directory sends. What they give is rbac's. */
export const directoryGroups = pivot(
  'directory_groups',
  {
    id: column.uuid().primary(),
    organizationId: references(organizations),
    externalId: bytes().nullable(),
    attributes: column.json<JsonObject>(),
    version: column.bigint('number').defaultRaw('1'),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    uniques: [{ name: 'directory_groups_external_id', properties: ['organizationId', 'externalId'] }],
    indexes: [
      { name: 'directory_groups_page', properties: ['organizationId', 'id'] },
      {
        name: 'directory_groups_name',
        expression: `create index "directory_groups_name" on "tenancy"."directory_groups" using btree ("organization_id", lower(attributes #>> '{displayName}'))`,
      },
    ],
  },
);

/** Whom a directory has put into a group. */
export const directoryGroupMembers = pivot(
  'directory_group_members',
  {
    organizationId: references(organizations),
    groupId: references(directoryGroups).primary(),
    directoryUserId: references(directoryUsers).primary(),
  },
  { tenant: ['organizationId'], indexes: [{ name: 'directory_group_members_user', properties: ['directoryUserId'] }] },
);
