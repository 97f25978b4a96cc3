import { composed, longestPage, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import {
  type Bind,
  countText,
  type Direction,
  foundText,
  foundTotal,
  isSearched,
  isUnforeseen,
  orderedText,
  type Part,
  pageFromNearerEnd,
  parameters,
  partOf,
  rowsAmong,
  type Source,
  searchCondition,
} from './ordered-page.ts';
import { keptText, type SearchTotals } from './search-totals.ts';

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
  readonly sortOrder: Direction;
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

const organization = '$1';
const own = `organization_id = ${organization}`;

function membersOf({ ids, search, sortField }: MemberPageQuery, bind: Bind): Source {
  return {
    table: ids ? rowsAmong('organization_users', own, 'user_id', bind(ids)) : 'organization_users',
    id: 'user_id',
    key: memberKeys[sortField],
    isKeyOptional: sortField === 'email',
    isSearched: isSearched(search),
    where: [own, ...searchCondition(search, bind)],
  };
}

function invitationsOf({ ids, search, sortField, status = 'pending' }: MemberPageQuery, bind: Bind): Source {
  return {
    table: ids ? rowsAmong('organization_invitations', own, 'id', bind(ids)) : 'organization_invitations',
    id: 'id',
    key: invitationKeys[sortField],
    isSearched: isSearched(search),
    where: [own, statusConditions[status], ...searchCondition(search, bind)],
  };
}

const entries = (type: MemberEntry['type'], text: string): string => `SELECT '${type}' AS type, id, key FROM (${text}) AS ${type}s`;

/** An ordered merge of two index scans that carries nothing but keys. */
const merged = (parts: readonly string[], direction: Direction, { limit, offset }: Part): string =>
  `SELECT * FROM (${parts.join(' UNION ALL ')}) AS entries ORDER BY key ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}`;

/** A page of both, and how many there are of each: from the nearer end. */
function nearText(members: Source | undefined, invitations: Source, sortOrder: Direction, asked: Part): string {
  const page = pageFromNearerEnd(sortOrder, asked, (direction, { limit, offset }) => {
    // What is left out of one would be too early even if all of the other stood before it.
    const early = (others: string) => `greatest(0, ${offset} - (SELECT ${others} FROM counted))`;
    const part = (source: Source, skipped: string) =>
      orderedText(source, direction, { limit: `${limit} + ${offset} - ${skipped}`, offset: skipped });
    const [passed, invited] = [early('invitations'), early('people')];
    return members
      ? merged([entries('member', part(members, passed)), entries('invitation', part(invitations, invited))], direction, {
          limit,
          offset: `${offset} - ${passed} - ${invited}`,
        })
      : entries('invitation', orderedText(invitations, direction, { limit, offset }));
  });
  return `counted AS MATERIALIZED (SELECT people, invitations, people + invitations AS total
    FROM (SELECT ${members ? countText(members) : 0} AS people, ${countText(invitations)} AS invitations) AS each), ${page}`;
}

/** The same where it isn't known how many members a search finds. */
function scannedText(members: Source, invitations: Source, direction: Direction, { limit, offset }: Part): string {
  const end = `${offset} + ${limit}`;
  const early = `greatest(0, ${offset} - (SELECT count FROM invited))`;
  const part = { limit: `${end} - ${early}`, offset: early };
  const parts = [
    entries('member', 'SELECT * FROM found'),
    entries('invitation', orderedText(invitations, direction, { limit: end, offset: '0' })),
  ];
  return `invited AS MATERIALIZED (SELECT ${countText(invitations)} AS count), ${foundText(members, direction, part)},
    counted AS MATERIALIZED (SELECT people, people + invitations AS total
      FROM (SELECT ${foundTotal(members, direction, part)} AS people, (SELECT count FROM invited) AS invitations) AS each),
    page AS MATERIALIZED (SELECT * FROM (${merged(parts, direction, { limit, offset: `${offset} - ${early}` })}) AS merged LIMIT ${longestPage})`;
}

/** One after the other: no plan may read the tenant to find the few rows of a page in it. */
const lookedUp = (table: string, condition: string): string => `LATERAL (SELECT * FROM ${table} WHERE ${own} AND ${condition} OFFSET 0)`;

type MemberPage = { rows: MemberEntry[]; totalCount: number };
type Row = MemberEntry & { readonly key: string; readonly people: number; readonly total: number; readonly version: string | null };

/**
 * One page of members and invitations in one order, and how many there are: one statement, in which an ordered merge of two index scans
 * carries nothing but keys, whose few rows are then read in full.
 */
export async function pageMembers(
  tx: Transaction,
  totals: SearchTotals,
  organizationId: string,
  query: MemberPageQuery,
): Promise<MemberPage> {
  const { page, limit, sortOrder, status } = query;
  const { bind, values } = parameters();
  bind(organizationId);
  const members = status === undefined ? { ...membersOf(query, bind), total: totals.known(organizationId, query, bind) } : undefined;
  const invitations = invitationsOf(query, bind);
  const asked = partOf(bind, limit, (page - 1) * limit);
  const text =
    members && isUnforeseen(members)
      ? scannedText(members, invitations, sortOrder, asked)
      : nearText(members, invitations, sortOrder, asked);
  const rows = await tx.query<Row>(
    composed(`/* members_page */ WITH ${keptText(organization)}, ${text}, shown AS MATERIALIZED (
        SELECT page.type, page.id, page.key, m.name, coalesce(m.email, i.email) AS email, coalesce(m.joined_at, i.invited_at) AS "createdAt",
          coalesce(m.user_updated_at, i.updated_at) AS "updatedAt", i.role_id AS "roleId", ${invitationStatus('i')} AS status,
          i.invited_by AS "invitedBy", i.expires_at AS "expiresAt", i.accepted_at AS "acceptedAt"
        FROM page
        LEFT JOIN ${lookedUp('organization_users', `page.type = 'member' AND user_id = page.id`)} AS m ON true
        LEFT JOIN ${lookedUp('organization_invitations', `page.type = 'invitation' AND id = page.id`)} AS i ON true
      )
      SELECT kept.version, counted.people, counted.total, shown.*
      FROM counted LEFT JOIN kept ON true LEFT JOIN shown ON true ORDER BY shown.key ${sortOrder}, shown.id ${sortOrder}`),
    values,
  );
  const [first] = rows;
  if (first === undefined) throw new Error('a count returned no row');
  if (members) totals.remember(organizationId, query, first);
  return {
    rows: rows.filter(({ id }) => id !== null).map(({ version, people, total, key, ...entry }) => entry),
    totalCount: first.total,
  };
}
