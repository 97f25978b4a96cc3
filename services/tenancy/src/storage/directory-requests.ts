/** The requests of SCIM that an organization's directory has made lately. Scoped work. */
import { findPage, type Page, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

const columns = [
  ...(['id', 'createdAt as at', 'serviceAccountId', 'credentialId', 'ipAddress', 'method', 'path', 'filter'] as const),
  ...(['status', 'scimType', 'detail', 'durationMs', 'body'] as const),
] as const;

export type DirectoryRequest = {
  readonly id: string;
  readonly at: string;
  readonly serviceAccountId: string;
  readonly credentialId: string;
  readonly ipAddress: string;
  readonly method: string;
  readonly path: string;
  readonly filter: string | null;
  readonly status: number;
  readonly scimType: string | null;
  readonly detail: string | null;
  readonly durationMs: number;
  readonly body: unknown;
};

export type NewDirectoryRequest = Omit<DirectoryRequest, 'at'> & { readonly organizationId: string; readonly createdAt: string };

export type DirectoryRequestPage = {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly isRefused?: boolean | undefined;
};

/** Also one that was answered with 200 and has operations that failed: a bulk request. */
const isFailed = sql<boolean>`(status >= 400 OR detail IS NOT NULL)`;

/** Newest first. */
export function pageDirectoryRequests(
  tx: Transaction,
  organizationId: string,
  { isRefused, ...input }: DirectoryRequestPage,
): Promise<Page<DirectoryRequest>> {
  const all = query.selectFrom('directory_requests').where('organizationId', '=', organizationId);
  return findPage(tx, {
    name: 'directory_requests',
    from: isRefused === undefined ? all : all.where(isFailed, '=', isRefused),
    select: (rows) => rows.select(columns),
    sort: { fields: { position: 'position' }, default: 'position' },
    id: 'position',
    input: { ...input, sortOrder: 'desc' },
  });
}

/** Postgres counts. */
const position = sql<number>`default`;

export async function insertDirectoryRequests(tx: Transaction, rows: readonly NewDirectoryRequest[]): Promise<void> {
  const values = rows.map(({ body, ...row }) => ({ ...row, position, body: sql`${JSON.stringify(body)}::jsonb` }));
  await tx.execute(query.insertInto('directory_requests').values(values));
}

export const mostDirectoryRequests = 1_000;

const prune = statement(
  'directory_requests_prune',
  `DELETE FROM directory_requests WHERE organization_id = $1 AND position <= (
     SELECT position FROM directory_requests WHERE organization_id = $1 ORDER BY position DESC OFFSET $2 LIMIT 1)`,
);

/** Removes all but the last thousand. */
export async function pruneDirectoryRequests(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query(prune, [organizationId, mostDirectoryRequests]);
}
