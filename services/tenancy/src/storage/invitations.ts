import { findPage, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Invitation, InvitationStatus } from '../domain/invitation.ts';
import { noteAcceptance } from './directory-users.ts';
import { invitationStatus, invitationStatusIs } from './member-page.ts';
import { now, query } from './query.ts';

const columns = [
  ...(['organization_invitations.id', 'organizationId', 'email', 'organization_invitations.name', 'roleId'] as const),
  ...(['invitedBy', 'invitedAt', 'expiresAt'] as const),
  ...(['acceptedAt', 'isMailed', 'organization_invitations.createdAt', 'organization_invitations.updatedAt'] as const),
  sql<InvitationStatus>`${sql.raw(invitationStatus('organization_invitations'))}`.as('status'),
  sql<null>`null`.as('deletedAt'),
] as const;

export type NewInvitation = {
  id: string;
  organizationId: string;
  email: string;
  name?: string | null;
  roleId: string;
  tokenHash: Buffer;
  invitedBy: string;
  /** Of the service account that invites. */
  credentialId?: string | null;
  expiresAt: string;
  isMailed: boolean;
};

/**
 * Locks the open invitation of an address until the commit, and expires it if its date is over.
 * Call it before locking the organization: everything that ends or accepts invitations locks in
 * this order, which prevents deadlocks.
 */
export async function lockOpenInvitation(tx: Transaction, organizationId: string, email: string): Promise<{ id: string } | undefined> {
  const open = await tx.one(lockOpen, { organizationId, email });
  if (open)
    await tx.execute(
      query
        .updateTable('organization_invitations')
        .set({ status: 'expired', updatedAt: now })
        .where('id', '=', open.id)
        .where('status', '=', 'pending')
        .where('expiresAt', '<=', now),
    );
  return open;
}

// A literal: the condition must be the one of the partial index.
const pending = sql.lit('pending' as const);
const lockOpen = statement('invitations_lock_open', (p: Params<{ organizationId: string; email: string }>) =>
  query
    .selectFrom('organization_invitations')
    .where('organizationId', '=', p.organizationId)
    .where('email', '=', p.email)
    .where('status', '=', pending)
    .select('id')
    .forUpdate(),
);

/** Undefined if the address has an open invitation. */
export function insertInvitation(
  tx: Transaction,
  { name = null, credentialId = null, ...invitation }: NewInvitation,
): Promise<Invitation | undefined> {
  return tx.one(insert, { ...invitation, name, credentialId });
}
const insert = statement('invitations_insert', (p: Params<Required<NewInvitation>>) => {
  const { id, organizationId, email, name, roleId, tokenHash, invitedBy, credentialId, expiresAt, isMailed } = p;
  return query
    .insertInto('organization_invitations')
    .values({ id, organizationId, email, name, roleId, tokenHash, invitedBy, credentialId, expiresAt, isMailed, status: pending })
    .onConflict((conflict) => conflict.columns(['organizationId', 'email']).where('status', '=', pending).doNothing())
    .returning(columns);
});

type OneInvitation = { readonly organizationId: string; readonly id: string };

function byId(organizationId: string | Expression<string>, id: string | Expression<string>) {
  return query.selectFrom('organization_invitations').where('organizationId', '=', organizationId).where('id', '=', id).select(columns);
}

export function findInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one(byId(organizationId, id));
}

/**
 * Locks the row until the commit, so that the status cannot change between the check and the write.
 */
export function lockInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one(lock, { organizationId, id });
}
const lock = statement('invitations_lock', (p: Params<OneInvitation>) => byId(p.organizationId, p.id).forUpdate());

const byToken = statement('invitations_by_token', (p: Params<{ tokenHash: Buffer }>) =>
  query
    .selectFrom('organization_invitations')
    .innerJoin('organizations as o', 'o.id', 'organizationId')
    .where('o.deletedAt', 'is', null)
    .where('tokenHash', '=', p.tokenHash)
    .select(columns)
    .select(['credentialId', 'o.name as organizationName']),
);

export type InvitationOfToken = Invitation & { organizationName: string; credentialId: string | null };

/**
 * Runs as the owner: the token is the only credential. The index lookup by hash leaks no timing of
 * the token.
 */
export async function findInvitationByToken(db: Pick<Transaction, 'query'>, tokenHash: Buffer): Promise<InvitationOfToken | undefined> {
  const [invitation] = await db.query(byToken, { tokenHash });
  return invitation;
}

/** The sender and the credential of an invitation. */
export function findSender(db: Pick<Transaction, 'query'>, organizationId: string, id: string) {
  return db.query(byId(organizationId, id).select('credentialId')).then(([found]) => found);
}

function updateById(organizationId: string | Expression<string>, id: string | Expression<string>) {
  return query
    .updateTable('organization_invitations')
    .set({ updatedAt: now })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .returning(columns);
}

/**
 * Pending → accepted, once: of several transactions at the same time one gets the row, the others
 * undefined.
 */
export async function acceptInvitation(
  tx: Transaction,
  organizationId: string,
  id: string,
  userId: string,
): Promise<Invitation | undefined> {
  const accepted = await tx.one(accept, { organizationId, id, userId });
  if (accepted !== undefined) await noteAcceptance(tx, organizationId, id, userId);
  return accepted;
}

const accept = statement('invitations_accept', (p: Params<OneInvitation & { readonly userId: string }>) =>
  updateById(p.organizationId, p.id)
    .set({ status: sql.lit('accepted' as const), acceptedAt: now, acceptedBy: p.userId })
    .where('status', '=', pending),
);

/**
 * The old token stops working, and `invitedBy` answers for the invitation from now on. The caller
 * has locked the row and checked its status.
 */
export function replaceInvitationToken(
  tx: Transaction,
  { organizationId, id }: Invitation,
  change: Pick<NewInvitation, 'tokenHash' | 'expiresAt' | 'invitedBy' | 'isMailed'> & { readonly credentialId: string | null },
) {
  return tx.one(updateById(organizationId, id).set({ ...change, status: 'pending' }));
}

/** Makes the caller the sender of an open invitation that it asked for again. */
export async function answerForInvitation(tx: Transaction, { organizationId, id }: Invitation, invitedBy: string): Promise<void> {
  await tx.execute(
    query
      .updateTable('organization_invitations')
      .set({ invitedBy })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('invitedBy', '!=', invitedBy),
  );
}

/** The caller has locked the row and checked its status. */
export async function revokeInvitation(
  tx: Transaction,
  { organizationId, id }: Invitation,
  hard: boolean,
): Promise<Invitation | undefined> {
  const revoked = await tx.one(updateById(organizationId, id).set({ status: 'revoked' }));
  if (hard)
    await tx.execute(query.deleteFrom('organization_invitations').where('organizationId', '=', organizationId).where('id', '=', id));
  return revoked;
}

/** The open ones that a person sent. */
export async function revokeInvitationsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(
    query
      .updateTable('organization_invitations')
      .set({ status: 'revoked', updatedAt: now })
      .where('invitedBy', '=', userId)
      .where('status', '=', 'pending'),
  );
}

export function pageInvitations(
  tx: Transaction,
  organizationId: string,
  { status, ...input }: PageRequest & { status?: InvitationStatus | undefined },
) {
  const all = query.selectFrom('organization_invitations').where('organizationId', '=', organizationId);
  return findPage(tx, {
    name: 'invitations_page',
    from: status === undefined ? all : all.where(sql<SqlBool>`${sql.raw(invitationStatusIs(status))}`),
    select: (rows) => rows.select(columns),
    search: ['email'],
    sort: {
      fields: { email: 'email', invitedAt: 'invitedAt', expiresAt: 'expiresAt', createdAt: 'createdAt', updatedAt: 'updatedAt' },
      default: 'createdAt',
    },
    id: 'id',
    input,
  });
}

const count = statement('tenancy_count_invitation', 'SELECT sender_id AS "senderId", count, seconds FROM count_invitation($1, $2, $3)');
type Counted = { readonly senderId: string; readonly count: number; readonly seconds: number };
type Mail = { readonly senderId: string | null; readonly organizationId: string; readonly address: string };

/**
 * How many mails the sender has caused with this one, and when that day ends. Without a sender it
 * is who made the organization. The count is locked until the commit.
 */
export async function countInvitation(tx: Transaction, { senderId, organizationId, address }: Mail): Promise<Counted> {
  const [counted] = await tx.query<Counted>(count, [senderId, organizationId, address]);
  if (counted === undefined) throw new Error('an invitation was not counted');
  return counted;
}
