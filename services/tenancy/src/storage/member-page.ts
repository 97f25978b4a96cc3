import { composed, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import {
  type Bind,
  countOf,
  type Direction,
  foundText,
  knownOf,
  opposite,
  orderedText,
  type Part,
  pageOfEither,
  parameters,
  partIn,
  partOf,
  partText,
  rowsAmong,
  type Source,
  searchCondition,
  totalText,
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
export function invitationStatusIs(status: InvitationStatus): string {
  return statusConditions[status];
}
export function invitationStatus(i: string): string {
  return `CASE WHEN ${i}.status = 'pending' AND ${i}.expires_at <= now() THEN 'expired' ELSE ${i}.status END`;
}

const organization = '$1';
const own = `organization_id = ${organization}`;

function membersOf({ ids, search, sortField }: MemberPageQuery, bind: Bind, total: Source['total']): Source {
  return {
    total,
    table: ids ? rowsAmong('organization_users', own, 'user_id', bind(ids)) : 'organization_users',
    id: 'user_id',
    key: memberKeys[sortField],
    isKeyOptional: sortField === 'email',
    where: [own, ...searchCondition(search, bind)],
  };
}

function nobody({ sortField }: MemberPageQuery): Source {
  return {
    ...{ table: 'organization_users', id: 'user_id', key: memberKeys[sortField], where: ['false'], total: 'SELECT 0::bigint' },
  };
}

function invitationsOf({ ids, search, sortField, status = 'pending' }: MemberPageQuery, bind: Bind): Source {
  return {
    table: ids ? rowsAmong('organization_invitations', own, 'id', bind(ids)) : 'organization_invitations',
    id: 'id',
    key: invitationKeys[sortField],
    where: [own, statusConditions[status], ...searchCondition(search, bind)],
  };
}

function entries(type: MemberEntry['type'], text: string): string {
  return `SELECT '${type}' AS type, id, key FROM (${text}) AS ${type}s`;
}

/** A page of both as `page`, and how many there are: an ordered merge of two index scans that carries nothing but keys. */
function mergedText(members: Source, invitations: Source, direction: Direction, asked: Part): string {
  const invited = '(SELECT count FROM invited)';
  const back = opposite[direction];
  const merged = (order: 'near' | 'far', either: Direction, memberRows: string) =>
    `SELECT * FROM (${entries('member', memberRows)}
       UNION ALL ${entries('invitation', orderedText(invitations, either, { limit: `(SELECT ${order} + start FROM part)`, offset: '0' }))}) AS entries
     ORDER BY key ${either}, id ${either} LIMIT (SELECT ${order} FROM part) OFFSET (SELECT part.start - share.start FROM part, share)`;
  // Of the members, those that are left out would be too early even if all invitations stood before them.
  return `invited AS MATERIALIZED (SELECT ${countOf(invitations)} AS count), ${partText(`(${knownOf(members)}) + ${invited}`, asked)},
    share AS MATERIALIZED (SELECT near + start - early AS near, far + start - early AS far, early AS start
      FROM (SELECT *, greatest(0, start - ${invited}) AS early FROM part OFFSET 0) AS asked),
    ${foundText(members, direction, 'share')}, people AS MATERIALIZED (${totalText(members, direction, 'share')}),
    counted AS MATERIALIZED (SELECT people.total AS people, people.total + ${invited} AS total FROM people),
    ${pageOfEither(merged('near', direction, 'SELECT * FROM found'), merged('far', back, orderedText(members, back, partIn('share', 'far'))))}`;
}

/** One after the other: no plan may read the tenant to find the few rows of a page in it. */
function lookedUp(table: string, condition: string): string {
  return `LATERAL (SELECT * FROM ${table} WHERE ${own} AND ${condition} OFFSET 0)`;
}

type MemberPage = { rows: MemberEntry[]; totalCount: number };
type Row = MemberEntry & { readonly key: string; readonly people: number; readonly total: number; readonly version: string | null };

/**
 * One page of members and invitations in one order, and how many there are: one statement, which finds the keys of the page's few rows and
 * then reads these in full.
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
  const members = status === undefined ? membersOf(query, bind, totals.known(organizationId, query, bind)) : nobody(query);
  const asked = partOf(bind, limit, (page - 1) * limit);
  const text = mergedText(members, invitationsOf(query, bind), sortOrder, asked);
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
  if (status === undefined) totals.remember(organizationId, query, first);
  return {
    rows: rows.filter(({ id }) => id !== null).map(({ version, people, total, key, ...entry }) => entry),
    totalCount: first.total,
  };
}
