import { failures } from '@tessera/kernel/errors';
import { composed, sql, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type Found, readAcross } from './across.ts';
import type { TagRow } from './records.ts';
import { findEntities, tagTable } from './scoped-entity.ts';

/** What carries tags. Projects have pivots of their own; everything else is in entity_tags, whichever service owns it. */
export const taggedEntities = [
  'role',
  'group',
  'permission',
  'resource',
  'user',
  'organization',
  'project',
  'apiKey',
  'projectApp',
] as const;
export type TaggedEntity = (typeof taggedEntities)[number];

type Place = {
  readonly table: string;
  readonly idColumn: string;
  readonly own: string;
  readonly columns: string;
  readonly places: string;
  readonly values: readonly string[];
};

function placeOf(scope: ParsedScope, entity: TaggedEntity): Place {
  if (entity === 'project' && (scope.tenant === 'account' || scope.tenant === 'organization')) {
    const column = `${scope.tenant}_id`;
    return {
      table: `${scope.tenant}_project_tags`,
      idColumn: 'project_id',
      own: `t.${column} = $1`,
      columns: column,
      places: '$1',
      values: [scope.id],
    };
  }
  return {
    table: 'entity_tags',
    idColumn: 'entity_id',
    own: 't.tenant = $1 AND t.scope_id = $2 AND t.entity = $3',
    columns: 'tenant, scope_id, entity',
    places: '$1, $2, $3',
    values: [scope.tenant, scope.id, entity],
  };
}

/** Those of the tags that the scope does not have. */
export async function missingTags(tx: Transaction, scope: ParsedScope, tagIds: readonly string[]): Promise<string[]> {
  const found = new Set((await findEntities<TagRow>(tx, tagTable, scope, tagIds)).map(({ id }) => id));
  return tagIds.filter((id) => !found.has(id));
}

export type TagChange = { readonly tagIds?: readonly string[] | undefined; readonly primaryTagId?: string | null | undefined };

/**
 * Replaces what is given: the tags, the primary one (which must be among them), or both. 404 for a tag that the scope does not have.
 * Leaving a tag out that was the primary one leaves none.
 */
export async function setTags(
  tx: Transaction,
  scope: ParsedScope,
  entity: TaggedEntity,
  entityId: string,
  change: TagChange,
): Promise<void> {
  const { tagIds, primaryTagId } = change;
  const { table, idColumn, own, columns, places, values } = placeOf(scope, entity);
  const next = values.length + 1;
  if (tagIds !== undefined) {
    const wanted = [...new Set(tagIds)];
    if ((await missingTags(tx, scope, wanted)).length > 0) throw failures.notFound('Tag');
    await tx.execute(
      composed(`DELETE FROM ${table} t WHERE ${own} AND t.${idColumn} = $${next} AND t.tag_id <> ALL ($${next + 1}::uuid[])`),
      [...values, entityId, wanted],
    );
    await tx.execute(
      composed(
        `INSERT INTO ${table} (${columns}, ${idColumn}, tag_id) SELECT ${places}, $${next}, unnest($${next + 1}::uuid[]) ON CONFLICT DO NOTHING`,
      ),
      [...values, entityId, wanted],
    );
  }
  if (primaryTagId === undefined) return;
  await tx.execute(composed(`UPDATE ${table} t SET is_primary = false WHERE ${own} AND t.${idColumn} = $${next} AND t.is_primary`), [
    ...values,
    entityId,
  ]);
  if (primaryTagId === null) return;
  const set = await tx.execute(
    composed(`UPDATE ${table} t SET is_primary = true WHERE ${own} AND t.${idColumn} = $${next} AND t.tag_id = $${next + 1}`),
    [...values, entityId, primaryTagId],
  );
  if (set === 0) throw failures.validation('primaryTagId', 'is none of the tags');
}

export type CarriedTag = Found<TagRow & { readonly ownerId: string; readonly isPrimary: boolean }>;

/** The tags of many entities at once, by name; tags of projects are kept in the scope that the project lies in. */
export function listTags(
  tx: Transaction,
  scopes: readonly ParsedScope[],
  entity: TaggedEntity,
  entityIds: readonly string[],
): Promise<CarriedTag[]> {
  return readAcross(
    tx,
    scopes,
    (level) => {
      const isPivot = entity === 'project' && level !== 'project';
      const [owner, carried] = isPivot
        ? ['t.project_id', `${level}_project_tags t ON t.${level}_id = s.level_id`]
        : ['t.entity_id', 'entity_tags t ON t.tenant = s.tenant AND t.scope_id = s.id'];
      return {
        select: `${owner} AS "ownerId", t.is_primary AS "isPrimary", e.id, e.name, e.color,
          e.created_at AS "createdAt", e.updated_at AS "updatedAt", e.deleted_at AS "deletedAt"`,
        from: `JOIN ${carried} JOIN tags e ON e.id = t.tag_id AND e.deleted_at IS NULL
          WHERE ${owner} = ANY ($4::uuid[]) ${isPivot ? '' : `AND t.entity = '${entity}'`} ORDER BY e.name, e.id`,
      };
    },
    [entityIds],
  );
}

const primaryTags = statement(
  'project_primary_tags',
  `SELECT t.project_id AS "projectId", t.tag_id AS "tagId" FROM (
     SELECT 'account' AS tenant, account_id AS parent_id, project_id, tag_id FROM account_project_tags WHERE is_primary AND project_id = ANY ($3::uuid[])
     UNION ALL
     SELECT 'organization', organization_id, project_id, tag_id FROM organization_project_tags WHERE is_primary AND project_id = ANY ($3::uuid[])
   ) t JOIN unnest($1::text[], $2::uuid[], $3::uuid[]) AS asked (tenant, parent_id, project_id) USING (tenant, parent_id, project_id)
   JOIN tags e ON e.id = t.tag_id AND e.deleted_at IS NULL`,
);

type ProjectPlace = { readonly tenant: string; readonly parentId: string; readonly projectId: string };

/** The primary tags of projects of many parents, as the owner: whoever asks has authorized each parent. */
export function listPrimaryTags(tx: Pick<Transaction, 'query'>, places: readonly ProjectPlace[]) {
  return tx.query<{ projectId: string; tagId: string }>(primaryTags, [
    places.map(({ tenant }) => tenant),
    places.map(({ parentId }) => parentId),
    places.map(({ projectId }) => projectId),
  ]);
}

/** The entities that carry all of the tags. */
export async function listTagged(tx: Transaction, scope: ParsedScope, entity: TaggedEntity, tagIds: readonly string[]): Promise<string[]> {
  const { table, idColumn, own, values } = placeOf(scope, entity);
  const next = values.length + 1;
  const rows = await tx.query<{ entityId: string }>(
    composed(`SELECT t.${idColumn} AS "entityId" FROM ${table} t JOIN tags e ON e.id = t.tag_id AND e.deleted_at IS NULL
      WHERE ${own} AND t.tag_id = ANY ($${next}::uuid[]) GROUP BY t.${idColumn} HAVING count(*) = cardinality($${next}::uuid[])`),
    [...values, [...new Set(tagIds)]],
  );
  return rows.map(({ entityId }) => entityId);
}

/** An entity is gone: so are its tags. */
export async function clearTags(tx: Transaction, scope: ParsedScope, entity: TaggedEntity, entityId: string): Promise<void> {
  const { table, idColumn, own, values } = placeOf(scope, entity);
  await tx.execute(composed(`DELETE FROM ${table} t WHERE ${own} AND t.${idColumn} = $${values.length + 1}`), [...values, entityId]);
}

const forgetEntity = sql('DELETE FROM entity_tags WHERE entity = $1 AND entity_id = $2');
/** The same wherever it was tagged; as the owner only. */
export function clearTagsEverywhere(tx: Transaction, entity: TaggedEntity, entityId: string): Promise<number> {
  return tx.execute(forgetEntity, [entity, entityId]);
}
