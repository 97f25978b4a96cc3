import { type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Invitation, InvitationStatus } from '../domain/invitation.ts';
import { invitationStatus, invitationStatusIs } from './member-page.ts';

function columnsOf(i: string) {
  return `${i}.id, ${i}.organization_id AS "organizationId", ${i}.email, ${i}.role_id AS "roleId",
  ${invitationStatus(i)} AS status, ${i}.invited_by AS "invitedBy", ${i}.invited_at AS "invitedAt", ${i}.expires_at AS "expiresAt",
  ${i}.accepted_at AS "acceptedAt", ${i}.created_at AS "createdAt", ${i}.updated_at AS "updatedAt", NULL AS "deletedAt"`;
}
const columns = columnsOf('organization_invitations');

export type NewInvitation = {
  id: string;
  organizationId: string;
  email: string;
  roleId: string;
  tokenHash: Buffer;
  invitedBy: string;
  expiresAt: Date;
};

const makeRoomFor = statement(
  'invitations_make_room',
  `WITH open AS MATERIALIZED (
     SELECT id FROM organization_invitations WHERE organization_id = $1 AND email = $2 AND status = 'pending' FOR UPDATE
   )
   UPDATE organization_invitations i SET status = 'expired', updated_at = now() FROM open WHERE i.id = open.id AND i.expires_at <= now()`,
);

/**
 * Holds the open invitation of an address until the commit, and ends one that has run out. Before the organization is held, as everybody
 * takes them who ends or accepts invitations: nobody waits in a circle.
 */
export async function lockOpenInvitation(tx: Transaction, organizationId: string, email: string): Promise<void> {
  await tx.execute(makeRoomFor, [organizationId, email]);
}

const insert = statement(
  'invitations_insert',
  `INSERT INTO organization_invitations (id, organization_id, email, role_id, token_hash, status, invited_by, expires_at)
   VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7)
   ON CONFLICT (organization_id, email) WHERE status = 'pending' DO NOTHING RETURNING ${columns}`,
);

/** Undefined when the address has an open invitation. */
export function insertInvitation(tx: Transaction, invitation: NewInvitation): Promise<Invitation | undefined> {
  const { id, organizationId, email, roleId, tokenHash, invitedBy, expiresAt } = invitation;
  return tx.one<Invitation>(insert, [id, organizationId, email, roleId, tokenHash, invitedBy, expiresAt]);
}

const find = statement('invitations_find', `SELECT ${columns} FROM organization_invitations WHERE organization_id = $1 AND id = $2`);
const lock = statement(
  'invitations_lock',
  `SELECT ${columns} FROM organization_invitations WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

export function findInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one<Invitation>(find, [organizationId, id]);
}

/** Found and held until the commit: what is decided on its status still holds when it is written. */
export function lockInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one<Invitation>(lock, [organizationId, id]);
}

const byToken = statement(
  'invitations_by_token',
  `SELECT ${columnsOf('i')}, o.name AS "organizationName"
   FROM organization_invitations i JOIN organizations o ON o.id = i.organization_id AND o.deleted_at IS NULL WHERE i.token_hash = $1`,
);

export type InvitationOfToken = Invitation & { organizationName: string };

/** Compared by index on the hash of a 256-bit secret, so that no comparison can be timed. As the owner role: the token alone is the credential. */
export function findInvitationByToken(db: Pick<Transaction, 'query'>, tokenHash: Buffer): Promise<InvitationOfToken | undefined> {
  return db.query<InvitationOfToken>(byToken, [tokenHash]).then(([row]) => row);
}

const accept = statement(
  'invitations_accept',
  `UPDATE organization_invitations SET status = 'accepted', accepted_at = now(), accepted_by = $3, updated_at = now()
   WHERE organization_id = $1 AND id = $2 AND status = 'pending' RETURNING ${columns}`,
);

/** Pending → accepted, once: of several at the same moment one gets the row and the others undefined. */
export function acceptInvitation(tx: Transaction, organizationId: string, id: string, userId: string): Promise<Invitation | undefined> {
  return tx.one<Invitation>(accept, [organizationId, id, userId]);
}

const replaceToken = statement(
  'invitations_replace_token',
  `UPDATE organization_invitations SET token_hash = $3, expires_at = $4, status = 'pending', updated_at = now()
   WHERE organization_id = $1 AND id = $2 RETURNING ${columns}`,
);

/** A new token, for only the old one's hash is known; the old one is void. The caller holds the row's lock and has checked its status. */
export function replaceInvitationToken(tx: Transaction, invitation: Invitation, tokenHash: Buffer, expiresAt: Date | string) {
  return tx.one<Invitation>(replaceToken, [invitation.organizationId, invitation.id, tokenHash, expiresAt]);
}

const revoke = statement(
  'invitations_revoke',
  `UPDATE organization_invitations SET status = 'revoked', updated_at = now() WHERE organization_id = $1 AND id = $2 RETURNING ${columns}`,
);
const remove = statement('invitations_delete', 'DELETE FROM organization_invitations WHERE organization_id = $1 AND id = $2');

/** The caller holds the row's lock and has checked its status. */
export async function revokeInvitation(
  tx: Transaction,
  { organizationId, id }: Invitation,
  hard: boolean,
): Promise<Invitation | undefined> {
  const revoked = await tx.one<Invitation>(revoke, [organizationId, id]);
  if (hard) await tx.execute(remove, [organizationId, id]);
  return revoked;
}

export const invitationSort = {
  email: 'email',
  invitedAt: 'invited_at',
  expiresAt: 'expires_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;

export function pageInvitations(tx: Transaction, organizationId: string, input: PageRequest & { status?: InvitationStatus | undefined }) {
  return pageQuery<Invitation>(tx, {
    name: 'invitations_page',
    select: columns,
    from: 'organization_invitations',
    where: ['organization_id = $1', ...(input.status ? [invitationStatusIs(input.status)] : [])],
    values: [organizationId],
    search: { columns: ['email'] },
    sort: { fields: invitationSort, default: 'createdAt' },
    input,
  });
}
