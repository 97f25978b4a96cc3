import { column, pivot, references, timestamp } from '@tessera/kernel/postgres';
import { bytes, type JsonObject } from './fields.ts';
import { organizations } from './organizations.ts';

/** The people whom an organization's directory sends by SCIM. */
export const directoryUsers = pivot(
  'directory_users',
  {
    id: column.uuid().primary(),
    organizationId: references(organizations),
    /** Without capitals, as it is compared. */
    userName: bytes(),
    externalId: bytes().nullable(),
    /** Where an invitation goes. */
    email: bytes(),
    /** All addresses of the resource, without capitals. */
    addresses: column.array().$type<readonly string[]>().columnType('text[]').defaultRaw(`'{}'`),
    attributes: column.json<JsonObject>(),
    active: column.boolean(),
    /** The person, once they have been a member. */
    userId: column.uuid().nullable(),
    /** Left or removed while active in the directory: only an invitation brings them back. */
    hasLeft: column.boolean().defaultRaw('false'),
    invitationId: column.uuid().nullable(),
    makingSince: timestamp().nullable(),
    version: column.bigint('number').defaultRaw('1'),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    uniques: [
      { name: 'directory_users_user_name', properties: ['organizationId', 'userName'] },
      { name: 'directory_users_external_id', properties: ['organizationId', 'externalId'] },
      { name: 'directory_users_person', properties: ['organizationId', 'userId'], where: 'user_id IS NOT NULL' },
    ],
    indexes: [
      { name: 'directory_users_email', properties: ['organizationId', 'email'] },
      { name: 'directory_users_page', properties: ['organizationId', 'id'] },
      { name: 'directory_users_user', properties: ['userId'], where: 'user_id IS NOT NULL' },
      { name: 'directory_users_invitation', properties: ['invitationId'], where: 'invitation_id IS NOT NULL' },
      {
        name: 'directory_users_addresses',
        expression: 'create index "directory_users_addresses" on "tenancy"."directory_users" using gin ("addresses")',
      },
      { name: 'directory_users_making', properties: ['makingSince'], where: 'making_since IS NOT NULL' },
    ],
  },
);

/** The last requests of the directory, for the person who connects it. */
export const directoryRequests = pivot(
  'directory_requests',
  {
    /** The order in which they were answered. */
    position: column.bigint('number').primary().generated('identity'),
    id: column.uuid(),
    organizationId: references(organizations),
    serviceAccountId: column.uuid(),
    credentialId: column.uuid(),
    ipAddress: column.text(),
    method: column.text(),
    /** Below the address of the organization. */
    path: column.text(),
    filter: column.text().nullable(),
    status: column.integer(),
    scimType: column.text().nullable(),
    detail: column.text().nullable(),
    durationMs: column.integer(),
    /** The body with its values cut, and without what may be a secret. */
    body: column.json<unknown>().nullable(),
    createdAt: timestamp(),
  },
  {
    tenant: ['organizationId'],
    uniques: [{ name: 'directory_requests_id_key', properties: ['id'] }],
    indexes: [
      { name: 'directory_requests_list', properties: ['organizationId', 'position'] },
      { name: 'directory_requests_created', properties: ['createdAt'] },
    ],
    checks: [
      {
        name: 'directory_requests_size_check',
        expression: `char_length(method) <= 10 AND char_length(path) <= 400 AND char_length(filter) <= 400 AND char_length(detail) <= 400
    AND pg_column_size(body) <= 32768`,
      },
    ],
  },
);
