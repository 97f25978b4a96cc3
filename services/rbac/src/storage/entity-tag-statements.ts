import { type Params, statement } from '@tessera/kernel/postgres';
import type { Tenant } from '@tessera/kernel/scope';
import { type Compilable, type Expression, sql } from 'kysely';
import { query } from './query.ts';

/** An entity and the scope that its tags belong to. */
type Carrier = { readonly tenant: Tenant; readonly scopeId: string; readonly entity: string; readonly entityId: string };
type Place = Omit<Carrier, 'entityId'>;
type WithTags = { readonly tagIds: readonly string[] };

type TagTable = 'entity_tags' | 'account_project_tags' | 'organization_project_tags';
type Column = 'tenant' | 'scopeId' | 'entity' | 'entityId' | 'accountId' | 'organizationId' | 'projectId';

type Layout = {
  readonly table: TagTable;
  /** Which column holds which part of the scope. */
  readonly scope: readonly (readonly [column: Column, part: keyof Place])[];
  readonly carrier: 'entityId' | 'projectId';
  /** Inserts rows of the scope's columns, the carrier and the tag, in this order. */
  readonly insert: (rows: Expression<unknown>) => Compilable<unknown>;
};

function liveTags(p: Params<WithTags>) {
  return query
    .selectFrom('tags')
    .select('id')
    .where('id', '=', ({ fn }) => fn.any(p.tagIds))
    .where('deletedAt', 'is', null);
}

function statementsOf({ table, scope, carrier, insert }: Layout) {
  const ofScope = (p: Params<Place>) => scope.map(([column, part]) => ({ column, value: p[part] }));
  const ofCarrier = (p: Params<Carrier>) => [...ofScope(p), { column: carrier, value: p.entityId }];
  const rowsOf = (p: Params<Carrier & WithTags>) =>
    query.selectNoFrom([
      ...ofCarrier(p).map(({ column, value }) => sql`${value}`.as(column)),
      sql`unnest(${p.tagIds}::uuid[])`.as('tagId'),
    ]);
  const carried = (p: Params<Carrier>) =>
    query.deleteFrom(table).where(({ eb, and }) => and(ofCarrier(p).map(({ column, value }) => eb(column, '=', value))));
  const mark = (p: Params<Carrier>, isPrimary: boolean) =>
    query
      .updateTable(table)
      .set({ isPrimary: sql.lit(isPrimary) })
      .where(({ eb, and }) => and(ofCarrier(p).map(({ column, value }) => eb(column, '=', value))));
  return {
    clear: statement(`rbac_clear_${table}`, (p: Params<Carrier>) => carried(p)),
    removeOthers: statement(`rbac_remove_other_${table}`, (p: Params<Carrier & WithTags>) =>
      carried(p).where(({ eb, fn, not }) => not(eb('tagId', '=', fn.any(p.tagIds)))),
    ),
    add: statement(`rbac_add_${table}`, (p: Params<Carrier & WithTags>) => insert(rowsOf(p))),
    clearPrimary: statement(`rbac_clear_primary_${table}`, (p: Params<Carrier>) => mark(p, false).where('isPrimary', '=', sql.lit(true))),
    setPrimary: statement(`rbac_set_primary_${table}`, (p: Params<Carrier & { tagId: string }>) =>
      mark(p, true).where('tagId', '=', p.tagId),
    ),
    listCarriers: statement(`rbac_list_carriers_${table}`, (p: Params<Place & WithTags>) =>
      query
        .selectFrom(table)
        .where(({ eb, and }) => and(ofScope(p).map(({ column, value }) => eb(column, '=', value))))
        .where('tagId', 'in', liveTags(p))
        .groupBy(carrier)
        .having(({ fn }) => fn.countAll(), '=', sql<number>`cardinality(${p.tagIds}::uuid[])`)
        .select(`${carrier} as entityId`),
    ),
  };
}

const onEntities = statementsOf({
  table: 'entity_tags',
  scope: [
    ['tenant', 'tenant'],
    ['scopeId', 'scopeId'],
    ['entity', 'entity'],
  ],
  carrier: 'entityId',
  insert: (rows) =>
    query
      .insertInto('entity_tags')
      .columns(['tenant', 'scopeId', 'entity', 'entityId', 'tagId'])
      .expression(rows)
      .onConflict((conflict) => conflict.doNothing()),
});

const onProjects = {
  account: statementsOf({
    table: 'account_project_tags',
    scope: [['accountId', 'scopeId']],
    carrier: 'projectId',
    insert: (rows) =>
      query
        .insertInto('account_project_tags')
        .columns(['accountId', 'projectId', 'tagId'])
        .expression(rows)
        .onConflict((conflict) => conflict.doNothing()),
  }),
  organization: statementsOf({
    table: 'organization_project_tags',
    scope: [['organizationId', 'scopeId']],
    carrier: 'projectId',
    insert: (rows) =>
      query
        .insertInto('organization_project_tags')
        .columns(['organizationId', 'projectId', 'tagId'])
        .expression(rows)
        .onConflict((conflict) => conflict.doNothing()),
  }),
};

export type TagStatements = typeof onEntities;

/**
 * Tags of projects in an account or organization have pivots of their own; all others are in
 * `entity_tags`.
 */
export function tagStatementsFor(tenant: Tenant, entity: string): TagStatements {
  return entity === 'project' && (tenant === 'account' || tenant === 'organization') ? onProjects[tenant] : onEntities;
}
