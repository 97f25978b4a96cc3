import { findPage, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type SqlBool, sql } from 'kysely';
import type { Invitation, InvitationStatus } from '../domain/invitation.ts';
import { invitationStatus, invitationStatusIs } from './member-page.ts';
import { now, query } from './query.ts';

/** A literal, because Postgres uses a partial index only for a condition without parameters. */
const pending = sql.lit('pending' as const);

const columns = [
  'organization_invitations.id',
  'organization_invitations.organizationId',
  'organization_invitations.email',
  'organization_invitations.roleId',
  'organization_invitations.invitedBy',
  'organization_invitations.invitedAt',
  'organization_invitations.expiresAt',
  'organization_invitations.acceptedAt',
  'organization_invitations.createdAt',
  'organization_invitations.updatedAt',
  sql<InvitationStatus>`${sql.raw(invitationStatus('organization_invitations'))}`.as('status'),
  sql<null>`null`.as('deletedAt'),
] as const;

export type NewInvitation = {
  id: string;
  organizationId: string;
  email: string;
  roleId: string;
  tokenHash: Buffer;
  invitedBy: string;
  expiresAt: string;
};
type Key = { organizationId: string; id: string };

const lockOpen = statement('invitations_lock_open', (p: Params<{ organizationId: string; email: string }>) =>
  query
    .with(
      (cte) => cte('open').materialized(),
      (db) =>
        db
          .selectFrom('organization_invitations')
          .where('organizationId', '=', p.organizationId)
          .where('email', '=', p.email)
          .where('status', '=', pending)
          .select('id')
          .forUpdate(),
    )
    .updateTable('organization_invitations as i')
    .from('open')
    .set({ status: 'expired', updatedAt: now })
    .whereRef('i.id', '=', 'open.id')
    .where('i.expiresAt', '<=', now),
);

/**
 * Locks the open invitation of an address until the commit, and expires it if its date is over. Call it before locking the organization:
 * everything that ends or accepts invitations locks in this order, which prevents deadlocks.
 */
export async function lockOpenInvitation(tx: Transaction, organizationId: string, email: string): Promise<void> {
  await tx.execute(lockOpen, { organizationId, email });
}

const insert = statement('invitations_insert', (p: Params<NewInvitation>) =>
  query
    .insertInto('organization_invitations')
    .values({
      id: p.id,
      organizationId: p.organizationId,
      email: p.email,
      roleId: p.roleId,
      tokenHash: p.tokenHash,
      status: 'pending',
      invitedBy: p.invitedBy,
      expiresAt: p.expiresAt,
    })
    .onConflict((conflict) => conflict.columns(['organizationId', 'email']).where('status', '=', pending).doNothing())
    .returning(columns),
);

/** Undefined if the address has an open invitation. */
export function insertInvitation(tx: Transaction, invitation: NewInvitation): Promise<Invitation | undefined> {
  return tx.one(insert, invitation);
}

function byKey(p: Params<Key>) {
  return query.selectFrom('organization_invitations').where('organizationId', '=', p.organizationId).where('id', '=', p.id).select(columns);
}
const find = statement('invitations_find', byKey);
const lock = statement('invitations_lock', (p: Params<Key>) => byKey(p).forUpdate());

export function findInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one(find, { organizationId, id });
}

/** Locks the row until the commit, so that the status cannot change between the check and the write. */
export function lockInvitation(tx: Transaction, organizationId: string, id: string): Promise<Invitation | undefined> {
  return tx.one(lock, { organizationId, id });
}

const byToken = statement('invitations_by_token', (p: Params<{ tokenHash: Buffer }>) =>
  query
    .selectFrom('organization_invitations')
    .innerJoin('organizations as o', 'o.id', 'organization_invitations.organizationId')
    .where('o.deletedAt', 'is', null)
    .where('tokenHash', '=', p.tokenHash)
    .select(columns)
    .select('o.name as organizationName'),
);

export type InvitationOfToken = Invitation & { organizationName: string };

/** Runs as the owner: the token is the only credential. The index lookup by hash leaks no timing of the token. */
export async function findInvitationByToken(db: Pick<Transaction, 'query'>, tokenHash: Buffer): Promise<InvitationOfToken | undefined> {
  const [invitation] = await db.query(byToken, { tokenHash });
  return invitation;
}

const accept = statement('invitations_accept', (p: Params<Key & { userId: string }>) =>
  query
    .updateTable('organization_invitations')
    .set({ status: 'accepted', acceptedAt: now, acceptedBy: p.userId, updatedAt: now })
    .where('organizationId', '=', p.organizationId)
    .where('id', '=', p.id)
    .where('status', '=', pending)
    .returning(columns),
);

/** Pending → accepted, once: of several transactions at the same time one gets the row, the others undefined. */
export function acceptInvitation(tx: Transaction, organizationId: string, id: string, userId: string): Promise<Invitation | undefined> {
  return tx.one(accept, { organizationId, id, userId });
}

const replaceToken = statement('invitations_replace_token', (p: Params<Key & { tokenHash: Buffer; expiresAt: string }>) =>
  query
    .updateTable('organization_invitations')
    .set({ tokenHash: p.tokenHash, expiresAt: p.expiresAt, status: 'pending', updatedAt: now })
    .where('organizationId', '=', p.organizationId)
    .where('id', '=', p.id)
    .returning(columns),
);

/** The old token stops working. The caller has locked the row and checked its status. */
export function replaceInvitationToken(tx: Transaction, { organizationId, id }: Invitation, tokenHash: Buffer, expiresAt: string) {
  return tx.one(replaceToken, { organizationId, id, tokenHash, expiresAt });
}

const revoke = statement('invitations_revoke', (p: Params<Key>) =>
  query
    .updateTable('organization_invitations')
    .set({ status: 'revoked', updatedAt: now })
    .where('organizationId', '=', p.organizationId)
    .where('id', '=', p.id)
    .returning(columns),
);
const remove = statement('invitations_delete', (p: Params<Key>) =>
  query.deleteFrom('organization_invitations').where('organizationId', '=', p.organizationId).where('id', '=', p.id),
);

/** The caller has locked the row and checked its status. */
export async function revokeInvitation(
  tx: Transaction,
  { organizationId, id }: Invitation,
  hard: boolean,
): Promise<Invitation | undefined> {
  const revoked = await tx.one(revoke, { organizationId, id });
  if (hard) await tx.execute(remove, { organizationId, id });
  return revoked;
}

export function pageInvitations(
  tx: Transaction,
  organizationId: string,
  { status, ...input }: PageRequest & { status?: InvitationStatus | undefined },
) {
  return findPage(tx, {
    name: 'invitations_page',
    from: query
      .selectFrom('organization_invitations')
      .where('organizationId', '=', organizationId)
      .$if(status !== undefined, (rows) => rows.where(sql<SqlBool>`${sql.raw(invitationStatusIs(status ?? 'pending'))}`)),
    select: (rows) => rows.select(columns),
    search: ['email'],
    sort: {
      fields: {
        email: 'email',
        invitedAt: 'invitedAt',
        expiresAt: 'expiresAt',
        createdAt: 'createdAt',
        updatedAt: 'updatedAt',
      },
      default: 'createdAt',
    },
    id: 'id',
    input,
  });
}
