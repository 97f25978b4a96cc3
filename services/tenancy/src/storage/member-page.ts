/** One page of members and invitations in one order. Raw SQL: see README.md. */
import { composed, type Transaction } from '@tessera/kernel/postgres';
import type { InvitationStatus } from '../domain/invitation.ts';
import { type DirectoryStanding, directoryStanding } from './members.ts';
import { type Bind, bindRange, type Direction, mergedText, parameters, rowsWithIds, type Source, searchCondition } from './ordered-page.ts';
import { type SearchTotals, statsText } from './search-totals.ts';

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
  isMailed: boolean | null;
  directory: DirectoryStanding | null;
};
export type MemberPageQuery = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly sortField: MemberSort;
  readonly sortOrder: Direction;
  readonly ids?: readonly string[] | undefined;
  /** With a status: invitations of that status only. Without: members and pending invitations. */
  readonly status?: InvitationStatus | undefined;
};

// Invitations have no name: the order by name uses their address.
const memberKeys: Record<MemberSort, string> = { name: 'name', email: 'email', createdAt: 'joined_at' };
const invitationKeys: Record<MemberSort, string> = { name: 'email COLLATE "und-x-icu"', email: 'email', createdAt: 'invited_at' };

const statusConditions: Record<InvitationStatus, string> = {
  pending: `status = 'pending' AND expires_at > now()`,
  expired: `(status = 'expired' OR (status = 'pending' AND expires_at <= now()))`,
  accepted: `status = 'accepted'`,
  revoked: `status = 'revoked'`,
};

/** The condition for invitations that have this status now. */
export function invitationStatusIs(status: InvitationStatus): string {
  return statusConditions[status];
}

/** The status now: a pending invitation past its expiry date is expired. */
export function invitationStatus(i: string): string {
  return `CASE WHEN ${i}.status = 'pending' AND ${i}.expires_at <= now() THEN 'expired' ELSE ${i}.status END`;
}

const organization = '$1';
const ownRows = `organization_id = ${organization}`;

function membersOf({ ids, search, sortField }: MemberPageQuery, bind: Bind, total: Source['total']): Source {
  return {
    total,
    table: ids ? rowsWithIds('organization_users', ownRows, 'user_id', bind(ids)) : 'organization_users',
    id: 'user_id',
    key: memberKeys[sortField],
    isKeyNullable: sortField === 'email',
    where: [ownRows, ...searchCondition(search, bind)],
  };
}

/** For a page of invitations only. */
function noMembers({ sortField }: MemberPageQuery): Source {
  return { table: 'organization_users', id: 'user_id', key: memberKeys[sortField], where: ['false'], total: 'SELECT 0::bigint' };
}

function invitationsOf({ ids, search, sortField, status = 'pending' }: MemberPageQuery, bind: Bind): Source {
  return {
    table: ids ? rowsWithIds('organization_invitations', ownRows, 'id', bind(ids)) : 'organization_invitations',
    id: 'id',
    key: invitationKeys[sortField],
    where: [ownRows, statusConditions[status], ...searchCondition(search, bind)],
  };
}

/**
 * Looks up one row of the page. OFFSET 0 keeps Postgres from reading the whole tenant for a join.
 */
function lookupText(table: string, condition: string): string {
  return `LATERAL (SELECT * FROM ${table} WHERE ${ownRows} AND ${condition} OFFSET 0)`;
}

type Marks = { readonly detachedAt: string | null; readonly directoryActive: boolean | null; readonly isOfDirectory: boolean };

function toEntry({ detachedAt, directoryActive, isOfDirectory, version, people, total, key, ...entry }: Row): MemberEntry {
  return {
    ...entry,
    directory: isOfDirectory || detachedAt !== null ? directoryStanding({ isActive: directoryActive, detachedAt }) : null,
  };
}

type MemberPage = { rows: MemberEntry[]; totalCount: number };
type Row = Omit<MemberEntry, 'directory'> &
  Marks & { readonly key: string; readonly people: number; readonly total: number; readonly version: string | null };

/**
 * The page and its total: one statement, which finds the keys of the page's rows and then reads
 * these rows.
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
  const members = status === undefined ? membersOf(query, bind, totals.totalText(organizationId, query, bind)) : noMembers(query);
  const range = bindRange(bind, limit, (page - 1) * limit);
  const text = mergedText({ ...members, type: 'member' }, { ...invitationsOf(query, bind), type: 'invitation' }, sortOrder, range);
  const rows = await tx.query<Row>(
    composed(`/* members_page */ WITH ${statsText(organization)}, ${text}, entries AS MATERIALIZED (
        SELECT page.type, page.id, page.key, m.name, coalesce(m.email, i.email) AS email, coalesce(m.joined_at, i.invited_at) AS "createdAt",
          coalesce(m.user_updated_at, i.updated_at) AS "updatedAt", i.role_id AS "roleId", ${invitationStatus('i')} AS status,
          i.invited_by AS "invitedBy", i.expires_at AS "expiresAt", i.accepted_at AS "acceptedAt",
          i.is_mailed AS "isMailed", m.detached_at AS "detachedAt", d.active AS "directoryActive", d.id IS NOT NULL AS "isOfDirectory"
        FROM page
        LEFT JOIN ${lookupText('organization_users', `page.type = 'member' AND user_id = page.id`)} AS m ON true
        LEFT JOIN ${lookupText('organization_invitations', `page.type = 'invitation' AND id = page.id`)} AS i ON true
        LEFT JOIN ${lookupText('directory_users', `page.type = 'member' AND user_id = page.id`)} AS d ON true
      )
      SELECT stats.version, counted.people, counted.total, entries.*
      FROM counted LEFT JOIN stats ON true LEFT JOIN entries ON true ORDER BY entries.key ${sortOrder}, entries.id ${sortOrder}`),
    values,
  );
  const [first] = rows;
  if (first === undefined) throw new Error('a count returned no row');
  if (status === undefined) totals.remember(organizationId, query, first);
  return {
    rows: rows.filter(({ id }) => id !== null).map(toEntry),
    totalCount: first.total,
  };
}
