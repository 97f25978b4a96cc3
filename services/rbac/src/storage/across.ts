import { failures } from '@tessera/kernel/errors';
import { type Params, type PreparedQuery, type Rows, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, rootId, type Scope, type Tenant } from '@tessera/kernel/scope';
import { type AliasableExpression, sql } from 'kysely';
import { query } from './query.ts';

/**
 * Reads rows of one scope or of many at once: one query for each level of tenants among them,
 * however many scopes there are.
 */

/**
 * A pivot belongs to a level: both kinds of projects have the same pivots. `grant` is an
 * organization's use of another's project.
 */
export type Level = 'account' | 'organization' | 'project' | 'grant';

const levels: Readonly<Record<Tenant, Exclude<Level, 'grant'>>> = {
  account: 'account',
  organization: 'organization',
  accountProject: 'project',
  organizationProject: 'project',
};

export function levelOf({ tenant, grant }: ParsedScope): Level {
  return grant === undefined ? levels[tenant] : 'grant';
}

/** The id that the pivots of the scope's level hold. */
export function levelId(scope: ParsedScope): string {
  return scope.grant?.placeId ?? scope.projectId ?? rootId(scope);
}

/** The scopes that a query asks about, as the rows of its table `s`. */
export type AskedScopes = AliasableExpression<{ levelId: string; tenant: string; id: string }>;

/** A pivot's rows, whichever entity and level it is for. */
export type Pivoted = { levelId: string; entityId: string };

/** A row, and the scope in which it was found, as `placeOf` writes it. */
export type Found<Row> = Row & { readonly at: string };

export function placeOf({ tenant, id }: Scope): string {
  return `${tenant} ${id}`;
}

const place = sql<string>`s.tenant || ' ' || s.id`.as('at');

export type One = { readonly levelId: string; readonly tenant: string; readonly id: string };
type Many = { readonly levelIds: readonly string[]; readonly tenants: readonly string[]; readonly ids: readonly string[] };

/** More rows are refused: what a request loads must not depend on how much a tenant keeps. */
const mostRows = 20_000;

/** A single scope is planned as a constant, which is cheaper than a list. */
export function oneScope(p: Params<One>): AskedScopes {
  return query.selectNoFrom([
    sql<string>`${p.levelId}::uuid`.as('levelId'),
    sql<string>`${p.tenant}::text`.as('tenant'),
    sql<string>`${p.id}::text`.as('id'),
  ]);
}

/** Kysely has no function in FROM with a list of columns, so this one is SQL. */
function manyScopes(p: Params<Many>): AskedScopes {
  const list = sql<One>`unnest(${p.levelIds}::uuid[], ${p.tenants}::text[], ${p.ids}::text[])`;
  return query.selectFrom(list.as<'list'>(sql`list(level_id, tenant, id)`)).selectAll('list');
}

/** The query of one level over the asked scopes `s`. */
type Build<Input, Row> = (level: Level, asked: AskedScopes, params: Params<Input>) => Rows<Row>;

export type AcrossQuery<Input, Row> = {
  readonly [L in Level]?: {
    /** Without the place of each row, which is known when one scope is asked about. */
    readonly here: PreparedQuery<One & Input, Row>;
    readonly one: PreparedQuery<One & Input, Found<Row>>;
    readonly many: PreparedQuery<Many & Input, Found<Row>>;
  };
};

/**
 * Prepares a query for each of the levels, for one scope and for many. A module constant, as
 * `statement` is.
 */
export function acrossQuery<Input, Row>(name: string, levels: readonly Level[], build: Build<Input, Row>): AcrossQuery<Input, Row> {
  const ofLevel = (level: Level) => ({
    here: statement(`${name}_${level}`, (p: Params<One & Input>) => build(level, oneScope(p), p)),
    one: statement(`${name}_placed_${level}`, (p: Params<One & Input>) =>
      build(level, oneScope(p), p)
        .select(place)
        .limit(mostRows + 1),
    ),
    many: statement(`${name}_${level}s`, (p: Params<Many & Input>) =>
      build(level, manyScopes(p), p)
        .select(place)
        .limit(mostRows + 1),
    ),
  });
  return Object.fromEntries(levels.map((level) => [level, ofLevel(level)]));
}

/** The values of `oneScope`. */
export function valuesOf(scope: ParsedScope): One {
  return { levelId: levelId(scope), tenant: scope.tenant, id: scope.id };
}

/** The rows that the scope has. */
export async function readScope<Input, Row>(
  tx: Pick<Transaction, 'query'>,
  across: AcrossQuery<Input, Row>,
  scope: ParsedScope,
  input: Input,
): Promise<Row[]> {
  const prepared = across[levelOf(scope)];
  return prepared === undefined ? [] : tx.query(prepared.here, { ...input, ...valuesOf(scope) });
}

/** The rows that the scopes have. A level without such rows has none. */
export async function readAcross<Input, Row>(
  tx: Pick<Transaction, 'query'>,
  across: AcrossQuery<Input, Row>,
  scopes: readonly ParsedScope[],
  input: Input,
): Promise<Found<Row>[]> {
  const found = await Promise.all(
    [...Map.groupBy(scopes, levelOf)].map(([level, members]) => {
      const prepared = across[level];
      const [only, another] = members;
      if (prepared === undefined || only === undefined) return [];
      if (another === undefined) return tx.query(prepared.one, { ...input, ...valuesOf(only) });
      const [tenants, ids] = [members.map(({ tenant }) => tenant), members.map(({ id }) => id)];
      return tx.query(prepared.many, { ...input, levelIds: members.map(levelId), tenants, ids });
    }),
  );
  const rows = found.flat();
  if (rows.length > mostRows) throw failures.answerTooLarge();
  return rows;
}
