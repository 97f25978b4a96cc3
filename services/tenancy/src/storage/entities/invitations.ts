import { column, pivot, references, table, timestamp } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../../domain/invitation.ts';
import { bytes, generatedBytes } from './fields.ts';
import { organizations } from './organizations.ts';

/** At most one pending invitation for an address. */
export const organizationInvitations = pivot(
  'organization_invitations',
  {
    id: column.uuid().primary(),
    organizationId: references(organizations),
    email: bytes(),
    search: generatedBytes('email'),
    /** As the one who invites wrote it. */
    name: column.text().nullable(),
    roleId: column.uuid(),
    /** SHA-256 of the token, which only the mail has. */
    tokenHash: column.blob().columnType('bytea'),
    /** 'pending' past `expiresAt` reads as 'expired'. */
    status: column.text().$type<InvitationStatus>(),
    invitedBy: column.uuid(),
    /** Of the service account that invited. */
    credentialId: column.uuid().nullable(),
    invitedAt: timestamp().defaultRaw('now()'),
    expiresAt: timestamp(),
    acceptedAt: timestamp().nullable(),
    acceptedBy: column.uuid().nullable(),
    /** False while the address wants no invitation mails. */
    isMailed: column.boolean().defaultRaw('true'),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    uniques: [
      { name: 'organization_invitations_token', properties: ['tokenHash'] },
      { name: 'organization_invitations_open', properties: ['organizationId', 'email'], where: `status = 'pending'` },
    ],
    indexes: [{ name: 'organization_invitations_page', properties: ['organizationId', 'status', 'email', 'id'] }],
    checks: [{ name: 'organization_invitations_status_check', expression: `status IN ('pending', 'accepted', 'expired', 'revoked')` }],
  },
);

/**
 * The invitation mails that a person has caused within a day, altogether (address '') and to one
 * address. Written by `count_invitation` alone.
 */
export const invitationCounts = table(
  'invitation_counts',
  { senderId: column.uuid().primary(), address: column.text().primary(), since: timestamp(), count: column.integer() },
  { indexes: [{ name: 'invitation_counts_since', properties: ['since'] }] },
);
