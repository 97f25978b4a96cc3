import { sql, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import { searchPattern, windowOf } from './people-page.ts';

export type MemberSort = 'name' | 'email' | 'createdAt';
export type MemberEntry = {
  type: 'member' | 'invitation';
  id: string;
  name: string | null;
  email: string | null;
  createdAt: string;
  updatedAt: string;
  roleId: string | null;
  status: InvitationStatus | null;
  invitedBy: string | null;
  expiresAt: string | null;
  acceptedAt: string | null;
};
export type MemberPageQuery = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly sortField: MemberSort;
  readonly sortOrder: 'asc' | 'desc';
  readonly ids?: readonly string[] | undefined;
  /** Only invitations, of this status; left out: members and what is pending. */
  readonly status?: InvitationStatus | undefined;
};

// Invitations have no name yet: among names they stand at their address.
const memberKeys: Record<MemberSort, string> = { name: 'name', email: 'email', createdAt: 'joined_at' };
const invitationKeys: Record<MemberSort, string> = { name: 'email COLLATE "und-x-icu"', email: 'email', createdAt: 'invited_at' };

const statusConditions: Record<InvitationStatus, string> = {
  pending: `status = 'pending' AND expires_at > now()`,
  expired: `(status = 'expired' OR (status = 'pending' AND expires_at <= now()))`,
  accepted: `status = 'accepted'`,
  revoked: `status = 'revoked'`,
};

/** The condition for invitations that are in a state right now. */
export const invitationStatusIs = (status: InvitationStatus): string => statusConditions[status];
export const invitationStatus = (i: string): string =>
  `CASE WHEN ${i}.status = 'pending' AND ${i}.expires_at <= now() THEN 'expired' ELSE ${i}.status END`;

type Sources = { readonly members: string | undefined; readonly invitations: string; readonly values: unknown[] };

function sourcesOf(organizationId: string, { search, ids, status = undefined }: MemberPageQuery): Sources {
  const pattern = searchPattern(search);
  const values: unknown[] = [organizationId, ...(pattern === null ? [] : [pattern]), ...(ids ? [ids] : [])];
  const idsAt = pattern === null ? 2 : 3;
  const both = (searched: string, id: string) => [
    'organization_id = $1',
    ...(pattern === null ? [] : [`${searched} LIKE lower($2 COLLATE "und-x-icu")`]),
    ...(ids ? [`${id} = ANY ($${idsAt}::uuid[])`] : []),
  ];
  return {
    members: status === undefined ? `organization_users WHERE ${both('search', 'user_id').join(' AND ')}` : undefined,
    invitations: `organization_invitations WHERE ${[...both('email', 'id'), statusConditions[status ?? 'pending']].join(' AND ')}`,
    values,
  };
}

/**
 * One page of members and invitations in one order: a count, then an ordered merge of two index scans that carries nothing but keys,
 * whose few hits are read in full. Two statements.
 */
export async function pageMembers(
  tx: Transaction,
  organizationId: string,
  query: MemberPageQuery,
): Promise<{ rows: MemberEntry[]; totalCount: number }> {
  const { members, invitations, values } = sourcesOf(organizationId, query);
  const memberCount = members === undefined ? '0' : `(SELECT count(*) FROM ${members})`;
  const counted = await tx.one<{ count: number }>(
    sql(`/* members_count */ SELECT ${memberCount} + (SELECT count(*) FROM ${invitations}) AS count`),
    values,
  );
  const totalCount = counted?.count ?? 0;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { rows: [], totalCount };

  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const key = query.sortField;
  const parts = [
    ...(members === undefined ? [] : [`SELECT 'member' AS type, user_id AS id, ${memberKeys[key]} AS key FROM ${members}`]),
    `SELECT 'invitation' AS type, id, ${invitationKeys[key]} AS key FROM ${invitations}`,
  ];
  const rows = await tx.query<MemberEntry>(
    sql(`/* members_page */
      WITH page AS MATERIALIZED (
        SELECT * FROM (${parts.join(' UNION ALL ')}) AS entries ORDER BY key ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}
      )
      SELECT page.type, page.id, m.name, coalesce(m.email, i.email) AS email, coalesce(m.joined_at, i.invited_at) AS "createdAt",
        coalesce(m.user_updated_at, i.updated_at) AS "updatedAt", i.role_id AS "roleId", ${invitationStatus('i')} AS status,
        i.invited_by AS "invitedBy", i.expires_at AS "expiresAt", i.accepted_at AS "acceptedAt"
      FROM page
      LEFT JOIN organization_users m ON page.type = 'member' AND m.organization_id = $1 AND m.user_id = page.id
      LEFT JOIN organization_invitations i ON page.type = 'invitation' AND i.organization_id = $1 AND i.id = page.id
      ORDER BY page.key ${query.sortOrder}, page.id ${query.sortOrder}`),
    values,
  );
  return { rows, totalCount };
}
