import { composed, longestPage, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import {
  type Bind,
  countFound,
  countText,
  type Direction,
  foundText,
  foundTotal,
  isSearched,
  memberTotal,
  orderedText,
  type Part,
  parameters,
  partOf,
  rowsAmong,
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

function membersOf(organizationId: string, { ids, search, sortField }: MemberPageQuery, bind: Bind): Source {
  const tenantId = bind(organizationId);
  const tenant = `organization_id = ${tenantId}`;
  return {
    table: ids ? rowsAmong('organization_users', tenant, 'user_id', bind(ids)) : 'organization_users',
    id: 'user_id',
    key: memberKeys[sortField],
    isKeyOptional: sortField === 'email',
    where: [tenant, ...searchCondition(search, bind)],
    ...(ids ? {} : { total: memberTotal(tenantId) }),
  };
}

function invitationsOf(organizationId: string, { ids, search, sortField, status = 'pending' }: MemberPageQuery, bind: Bind): Source {
  const tenant = `organization_id = ${bind(organizationId)}`;
  return {
    table: ids ? rowsAmong('organization_invitations', tenant, 'id', bind(ids)) : 'organization_invitations',
    id: 'id',
    key: invitationKeys[sortField],
    where: [tenant, statusConditions[status], ...searchCondition(search, bind)],
  };
}

type Counted = { readonly memberCount: number; readonly invitationCount: number };

async function countEntries(tx: Transaction, organizationId: string, query: MemberPageQuery): Promise<Counted> {
  const { bind, values } = parameters();
  const counted = await tx.one<Counted>(
    composed(`/* members_count */ SELECT ${query.status === undefined ? countText(membersOf(organizationId, query, bind)) : 0} AS "memberCount",
      ${countText(invitationsOf(organizationId, query, bind))} AS "invitationCount"`),
    values,
  );
  return counted ?? { memberCount: 0, invitationCount: 0 };
}

type MemberPage = { rows: MemberEntry[]; totalCount: number };

/**
 * One page of members and invitations in one order: an ordered merge of two index scans that carries nothing but keys, whose few rows are
 * then read in full. One statement behind a count; where members are searched, a single one that counts what it passes.
 */
export function pageMembers(tx: Transaction, organizationId: string, query: MemberPageQuery): Promise<MemberPage> {
  return isSearched(query.search) && query.status === undefined
    ? findMembers(tx, organizationId, query)
    : listMembers(tx, organizationId, query);
}

const entries = (type: MemberEntry['type'], text: string): string => `SELECT '${type}' AS type, id, key FROM (${text}) AS ${type}s`;

// The last limit is a number: a plan that is made for any page may count on it.
const merged = (parts: readonly string[], direction: Direction, { limit, offset }: Part): string =>
  `page AS MATERIALIZED (SELECT * FROM (SELECT * FROM (${parts.join(' UNION ALL ')}) AS entries
     ORDER BY key ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}) AS merged LIMIT ${longestPage})`;

/** The entries that `page` has the (type, id, key) of, in full; `$1` is the organization. */
const shown = (sortOrder: MemberPageQuery['sortOrder'], more = ''): string =>
  `SELECT page.type, page.id, m.name, coalesce(m.email, i.email) AS email, coalesce(m.joined_at, i.invited_at) AS "createdAt",
     coalesce(m.user_updated_at, i.updated_at) AS "updatedAt", i.role_id AS "roleId", ${invitationStatus('i')} AS status,
     i.invited_by AS "invitedBy", i.expires_at AS "expiresAt", i.accepted_at AS "acceptedAt"${more}
   FROM page
   LEFT JOIN organization_users m ON page.type = 'member' AND m.organization_id = $1 AND m.user_id = page.id
   LEFT JOIN organization_invitations i ON page.type = 'invitation' AND i.organization_id = $1 AND i.id = page.id
   ORDER BY page.key ${sortOrder}, page.id ${sortOrder}`;

async function listMembers(tx: Transaction, organizationId: string, query: MemberPageQuery): Promise<MemberPage> {
  const { memberCount, invitationCount } = await countEntries(tx, organizationId, query);
  const totalCount = memberCount + invitationCount;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { rows: [], totalCount };

  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const { bind, values } = parameters();
  // Of each source that has any, what the page can show: even if all of the other stood before it, what is left out would be too early.
  const early = { members: Math.max(0, offset - invitationCount), invitations: Math.max(0, offset - memberCount) };
  const part = (source: Source, from: number) => orderedText(source, direction, partOf(bind, offset + limit - from, from));
  const parts = [
    ...(memberCount > 0 ? [entries('member', part(membersOf(organizationId, query, bind), early.members))] : []),
    ...(invitationCount > 0 ? [entries('invitation', part(invitationsOf(organizationId, query, bind), early.invitations))] : []),
  ];
  const page = merged(parts, direction, partOf(bind, limit, offset - early.members - early.invitations));
  const rows = await tx.query<MemberEntry>(composed(`/* members_page */ WITH ${page} ${shown(query.sortOrder)}`), values);
  return { rows, totalCount };
}

async function findMembers(tx: Transaction, organizationId: string, query: MemberPageQuery): Promise<MemberPage> {
  const direction = query.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const offset = (query.page - 1) * query.limit;
  const { bind, values } = parameters();
  const members = membersOf(organizationId, query, bind);
  const invitations = invitationsOf(organizationId, query, bind);
  const { limit: end, offset: start } = partOf(bind, offset + query.limit, offset);
  // Members that are left out would be too early even if all invitations stood before them.
  const early = `greatest(0, ${start} - (SELECT count FROM invited))`;
  const part = { limit: `${end} - ${early}`, offset: early };
  const parts = [
    entries('member', 'SELECT * FROM found'),
    entries('invitation', orderedText(invitations, direction, { limit: end, offset: '0' })),
  ];
  const page = merged(parts, direction, { limit: `${end} - ${start}`, offset: `${start} - ${early}` });
  const total = `, (SELECT count FROM invited) + ${foundTotal(members, direction, part)} AS "totalCount"`;
  const rows = await tx.query<MemberEntry & { totalCount: number }>(
    composed(`/* members_found */ WITH invited AS MATERIALIZED (SELECT ${countText(invitations)} AS count),
      ${foundText(members, direction, part)}, ${page} ${shown(query.sortOrder, total)}`),
    values,
  );
  const both = (bind: Bind) => [membersOf(organizationId, query, bind), invitationsOf(organizationId, query, bind)];
  const totalCount = rows[0]?.totalCount ?? (offset === 0 ? 0 : await countFound(tx, both));
  return { rows: rows.map(({ totalCount: _, ...entry }) => entry), totalCount };
}
