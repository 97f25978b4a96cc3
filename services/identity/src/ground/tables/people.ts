import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { Account } from '@tessera/proto/types/tenancy.v1';

/** Secret fields of a method. They leave storage for the comparison of a password only. */
export type ProviderData = { readonly passwordHash?: string };

export const users = table(
  'users',
  {
    id: column.uuid().primary(),
    name: column.text(),
    picturePath: column.text().nullable(),
    metadata: column.json<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'`),
    /** Who created this person in a scope, and where; all null for people who registered. */
    createdBy: column.uuid().nullable(),
    homeTenant: column.text().$type<Scope['tenant']>().nullable(),
    homeId: column.text().nullable(),
    /** The invitation that was accepted by registering. */
    invitationId: column.uuid().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    /** By the platform, and why. */
    blockedAt: timestamp().nullable(),
    blockReason: column.text().nullable(),
    /**
     * A copy of the person's accounts, which tenancy owns (decision 10). NULL until one is known.
     */
    accounts: column.json<readonly Account[]>().nullable(),
  },
  {
    indexes: [
      { name: 'users_deleted', properties: ['deletedAt'], where: 'deleted_at IS NOT NULL' },
      { name: 'users_blocked', properties: ['blockedAt'], where: 'blocked_at IS NOT NULL' },
      { name: 'users_home', properties: ['homeTenant', 'homeId'], where: 'home_tenant IS NOT NULL' },
    ],
    uniques: [{ name: 'users_invitation', properties: ['invitationId'] }],
    checks: [
      { name: 'users_name_check', expression: 'octet_length(name) <= 800' },
      {
        name: 'users_block_reason_check',
        expression: 'block_reason IS NULL OR blocked_at IS NOT NULL AND octet_length(block_reason) <= 2000',
      },
      { name: 'users_metadata_check', expression: `jsonb_typeof(metadata) = 'object'` },
    ],
  },
);

/**
 * The trigger authentication_methods_one_primary (migration 001) keeps a primary method for each
 * person.
 */
export const authenticationMethods = table(
  'authentication_methods',
  {
    id: column.uuid().primary(),
    userId: references(users),
    provider: column.text(),
    providerId: column.text(),
    providerData: column.json<ProviderData>().defaultRaw(`'{}'`),
    /** The address that the method proves or claims: of a provider, what the provider says. */
    email: column.text().nullable(),
    isVerified: column.boolean(),
    isPrimary: column.boolean(),
    lastUsedAt: timestamp().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    /** When mailbox and account came together (decision 15). NULL: the address is only proven. */
    heldAt: timestamp().nullable(),
  },
  {
    uniques: [
      { name: 'authentication_methods_identity', properties: ['provider', 'providerId'] },
      { name: 'authentication_methods_provider', properties: ['userId', 'provider'] },
      { name: 'authentication_methods_primary', properties: ['userId'], where: 'is_primary' },
    ],
    indexes: [{ name: 'authentication_methods_email', properties: ['email'], where: 'email IS NOT NULL' }],
  },
);

/**
 * Whose a proven address is. The trigger authentication_methods_proven_address (migration 115)
 * writes it; no code of the service does.
 */
export const provenAddresses = table(
  'proven_addresses',
  { address: column.text().primary(), userId: references(users).primary(), isDisputed: column.boolean().defaultRaw('false') },
  {
    uniques: [{ name: 'proven_addresses_one_person', properties: ['address'], where: 'NOT is_disputed' }],
    indexes: [{ name: 'proven_addresses_person', properties: ['userId'] }],
  },
);

/**
 * Members whom their organization has blocked, or asks for a new password (decision 28). rbac's
 * events write it.
 */
export const memberRestrictions = table(
  'member_restrictions',
  {
    organizationId: column.uuid().primary(),
    userId: references(users).primary(),
    isBlocked: column.boolean(),
    isPasswordDue: column.boolean(),
  },
  { indexes: [{ name: 'member_restrictions_person', properties: ['userId'] }] },
);

/** Picture files that no person refers to any more, until a job has deleted them. */
export const discardedPictures = table('discarded_pictures', { path: column.text().primary() });
