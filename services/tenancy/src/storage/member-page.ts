import { sql, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import {
  countText,
  isSearched,
  memberTotal,
  narrowed,
  orderedText,
  parameters,
  type Source,
  searchCondition,
  windowOf,
} from './ordered-page.ts';

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

type Sources = { readonly members: Source | undefined; readonly invitations: Source };

function sourcesOf(organizationId: string, { search, ids, status, sortField }: MemberPageQuery, bind: (value: unknown) => string): Sources {
  const tenantId = bind(organizationId);
  const tenant = `organization_id = ${tenantId}`;
  const searched = searchCondition(search, bind);
  const wanted = ids && bind(ids);
  const source = (table: string, id: string, key: string, scan: string, condition?: string): Source => ({
    table,
    id,
    key,
    scan,
    where: [tenant, ...(condition ? [condition] : []), ...(wanted ? [`${id} = ANY (${wanted}::uuid[])`] : [])],
    ...(searched === undefined ? {} : { search: searched }),
  });
  return {
    members:
      status === undefined
        ? {
            ...source('organization_users', 'user_id', memberKeys[sortField], 'joined_at'),
            ...(wanted ? {} : { total: memberTotal(tenantId) }),
          }
        : undefined,
    invitations: source('organization_invitations', 'id', invitationKeys[sortField], 'email', statusConditions[status ?? 'pending']),
  };
}

type Counted = { memberCount: number; memberHits: string[] | null; invitationCount: number; invitationHits: string[] | null };

/** Hits of both sources, when each has found few. */
function hitsOf({ memberHits, memberCount, invitationHits, invitationCount }: Counted): string[] | undefined {
  const hasAll = (memberHits !== null || memberCount === 0) && (invitationHits !== null || invitationCount === 0);
  return hasAll ? [...(memberHits ?? []), ...(invitationHits ?? [])] : undefined;
}

async function countMembers(tx: Transaction, organizationId: string, query: MemberPageQuery): Promise<Counted> {
  const { bind, values } = parameters();
  const { members, invitations } = sourcesOf(organizationId, query, bind);
  const memberText = members === undefined ? 'SELECT 0::bigint AS count, NULL::uuid[] AS hits' : countText(members);
  const counted = await tx.one<Counted>(
    sql(`/* members_count */ SELECT m.count AS "memberCount", m.hits AS "memberHits", i.count AS "invitationCount", i.hits AS "invitationHits"
         FROM (${memberText}) AS m, (${countText(invitations)}) AS i`),
    values,
  );
  return counted ?? { memberCount: 0, memberHits: null, invitationCount: 0, invitationHits: null };
}

/**
 * One page of members and invitations in one order: a count, then an ordered merge of two index scans that carries nothing but keys,
 * whose few rows are then read in full. Two statements.
 */
export async function pageMembers(
  tx: Transaction,
  organizationId: string,
  query: MemberPageQuery,
): Promise<{ rows: MemberEntry[]; totalCount: number }> {
  const counted = await countMembers(tx, organizationId, query);
  const totalCount = counted.memberCount + counted.invitationCount;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { rows: [], totalCount };

  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const { bind, values } = parameters();
  const hits = isSearched(query.search) ? hitsOf(counted) : undefined;
  const { members, invitations } = sourcesOf(organizationId, narrowed(query, hits), bind);
  // Of each source that has any, what the page can show: even if all of the other stood before it, what is left out would be too early.
  const early = { members: Math.max(0, offset - counted.invitationCount), invitations: Math.max(0, offset - counted.memberCount) };
  const part = (type: MemberEntry['type'], source: Source, from: number) =>
    `SELECT '${type}' AS type, id, key FROM (${orderedText(source, direction, { limit: offset + limit - from, offset: from })}) AS ${type}s`;
  const parts = [
    ...(members && counted.memberCount > 0 ? [part('member', members, early.members)] : []),
    ...(counted.invitationCount > 0 ? [part('invitation', invitations, early.invitations)] : []),
  ];
  const rows = await tx.query<MemberEntry>(
    sql(`/* members_page */
      WITH page AS MATERIALIZED (
        SELECT * FROM (${parts.join(' UNION ALL ')}) AS entries ORDER BY key ${direction}, id ${direction}
        LIMIT ${limit} OFFSET ${offset - early.members - early.invitations}
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
