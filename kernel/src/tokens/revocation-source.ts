import { failures } from '../errors/index.ts';
import { type Database, statement } from '../postgres/index.ts';
import type { Revocation, RevocationSource } from './revocations.ts';

type Options = {
  readonly service: string;
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
  /** The xid8 column of the table `revocations` with the transaction that wrote the row last. */
  readonly transactionColumn: 'transaction_id' | 'written_in';
  /** Whether the service ends the tokens of whole scopes, in the table `scope_revocations`. */
  readonly hasScopes?: boolean;
};

type Row = { readonly revocations: readonly Revocation[]; readonly scopes: readonly Listed[]; readonly cursor: string };
type Listed = Pick<Revocation, 'value' | 'before' | 'expiresAt'>;

/**
 * The table `revocations`, for verifiers. A page has all that was committed since its cursor, some
 * of it perhaps again. It skips none, whatever commits at the same time.
 */
export function createRevocationSource({ service, database, clock, transactionColumn, hasScopes = false }: Options): RevocationSource {
  const list = statement(`${service}_list_revocations`, listSql(transactionColumn, hasScopes));
  return {
    name: service,
    async list({ cursor }) {
      if (!/^\d{0,20}$/.test(cursor)) throw failures.badInput();
      const [page] = await database.query<Row>(list, [cursor === '' ? '0' : cursor, clock()]);
      if (page === undefined) throw new Error('the list of revocations has no row');
      return { cursor: page.cursor, revocations: page.revocations.map(withIsoTimes), scopes: page.scopes.map(withIsoTimes) };
    },
  };
}

/**
 * A transaction that is open in the snapshot has an id from its xmin on, so the next page has its
 * rows. A cursor above xmax is from before a restore: the page starts over.
 */
function listSql(transactionColumn: string, hasScopes: boolean): string {
  const rows = (table: string, fields: string) =>
    `coalesce((SELECT json_agg(json_build_object(${fields}, 'value', value, 'before', before, 'expiresAt', expires_at))
       FROM ${table} WHERE expires_at > $2 AND ${transactionColumn} >=
         CASE WHEN $1::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) THEN '0'::xid8 ELSE $1::text::xid8 END), '[]')`;
  return `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor, ${rows('revocations', "'kind', kind")} AS revocations,
     ${hasScopes ? rows('scope_revocations', "'kind', 'scope'") : "'[]'::json"} AS scopes`;
}

function withIsoTimes<Entry extends Listed>(entry: Entry): Entry {
  return { ...entry, before: new Date(entry.before).toISOString(), expiresAt: new Date(entry.expiresAt).toISOString() };
}
