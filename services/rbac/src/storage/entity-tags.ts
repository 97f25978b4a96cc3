import { failures } from '@tessera/kernel/errors';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { acrossQuery, type Found, type Level, levelOf, readAcross } from './across.ts';
import { tagTable } from './entity-tables.ts';
import { tagStatementsFor } from './entity-tag-statements.ts';
import { query } from './query.ts';
import type { TagRow } from './records.ts';
import { findEntities } from './scoped-entity.ts';

/** The kinds of entities that carry tags, whichever service owns them. */
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

/** Those of the tags that the scope does not have. */
export async function missingTags(tx: Transaction, scope: ParsedScope, tagIds: readonly string[]): Promise<string[]> {
  const found = new Set((await findEntities(tx, tagTable, scope, tagIds)).map(({ id }) => id));
  return tagIds.filter((id) => !found.has(id));
}

export type TagChange = { readonly tagIds?: readonly string[] | undefined; readonly primaryTagId?: string | null | undefined };

/**
 * Replaces the tags, the primary tag (which must be one of them), or both. 404 for a tag that the
 * scope does not have. Without its tag an entity has no primary tag.
 */
export async function setTags(
  tx: Transaction,
  scope: ParsedScope,
  entity: TaggedEntity,
  entityId: string,
  { tagIds, primaryTagId }: TagChange,
): Promise<void> {
  const statements = tagStatementsFor(scope.tenant, entity);
  const carrier = { tenant: scope.tenant, scopeId: scope.id, entity, entityId };
  if (tagIds !== undefined) {
    const wanted = [...new Set(tagIds)];
    if ((await missingTags(tx, scope, wanted)).length > 0) throw failures.notFound('Tag');
    await tx.execute(statements.removeOthers, { ...carrier, tagIds: wanted });
    await tx.execute(statements.add, { ...carrier, tagIds: wanted });
  }
  if (primaryTagId === undefined) return;
  await tx.execute(statements.clearPrimary, carrier);
  if (primaryTagId === null) return;
  const marked = await tx.execute(statements.setPrimary, { ...carrier, tagId: primaryTagId });
  if (marked === 0) throw failures.validation('primaryTagId', { en: 'is none of the tags', de: 'ist keines der Tags' });
}

export type CarriedTag = Found<TagRow & { readonly ownerId: string; readonly isPrimary: boolean }>;

type Carriers = { readonly entityIds: readonly string[] };

/** The carried tags `t`, of projects in an account or organization. */
function tagsOfProjects(level: Level) {
  return level === 'account'
    ? query.selectFrom('account_project_tags').select(['accountId as levelId', 'projectId', 'tagId', 'isPrimary'])
    : query.selectFrom('organization_project_tags').select(['organizationId as levelId', 'projectId', 'tagId', 'isPrimary']);
}

const projectTags = acrossQuery('rbac_tags_of_projects', ['account', 'organization'], (level, asked, p: Params<Carriers>) =>
  query
    .selectFrom(asked.as('s'))
    .innerJoin(tagsOfProjects(level).as('t'), 't.levelId', 's.levelId')
    .innerJoin('tags as e', 'e.id', 't.tagId')
    .where('e.deletedAt', 'is', null)
    .where('t.projectId', '=', ({ fn }) => fn.any(p.entityIds))
    .select(['t.projectId as ownerId', 't.isPrimary', 'e.id', 'e.name', 'e.color', 'e.createdAt', 'e.updatedAt', 'e.deletedAt'])
    .orderBy('e.name')
    .orderBy('e.id'),
);

const entityTags = acrossQuery(
  'rbac_tags_of_entities',
  ['account', 'organization', 'project'],
  (_, asked, p: Params<Carriers & { entity: string }>) =>
    query
      .selectFrom(asked.as('s'))
      .innerJoin('entity_tags as t', (join) => join.onRef('t.tenant', '=', 's.tenant').onRef('t.scopeId', '=', 's.id'))
      .innerJoin('tags as e', 'e.id', 't.tagId')
      .where('e.deletedAt', 'is', null)
      .where('t.entity', '=', p.entity)
      .where('t.entityId', '=', ({ fn }) => fn.any(p.entityIds))
      .select(['t.entityId as ownerId', 't.isPrimary', 'e.id', 'e.name', 'e.color', 'e.createdAt', 'e.updatedAt', 'e.deletedAt'])
      .orderBy('e.name')
      .orderBy('e.id'),
);

/**
 * The tags of many entities, by name. Tags of projects belong to the account or organization of the
 * project.
 */
export async function listTags(
  tx: Transaction,
  scopes: readonly ParsedScope[],
  entity: TaggedEntity,
  entityIds: readonly string[],
): Promise<CarriedTag[]> {
  if (entity !== 'project') return readAcross(tx, entityTags, scopes, { entity, entityIds });
  const inProjects = scopes.filter((scope) => levelOf(scope) === 'project');
  const [own, inner] = await Promise.all([
    readAcross(tx, projectTags, scopes, { entityIds }),
    readAcross(tx, entityTags, inProjects, { entity, entityIds }),
  ]);
  return [...own, ...inner];
}

function primaryTagsOfProjects(p: Params<{ projectIds: readonly string[] }>) {
  const inAccounts = query.selectFrom('account_project_tags').select(['accountId as parentId', 'projectId', 'tagId']);
  const inOrganizations = query.selectFrom('organization_project_tags').select(['organizationId as parentId', 'projectId', 'tagId']);
  return inAccounts
    .where('isPrimary', '=', sql.lit(true))
    .where('projectId', '=', ({ fn }) => fn.any(p.projectIds))
    .unionAll(inOrganizations.where('isPrimary', '=', sql.lit(true)).where('projectId', '=', ({ fn }) => fn.any(p.projectIds)));
}
const primaryTags = statement('rbac_project_primary_tags', (p: Params<{ projectIds: readonly string[] }>) =>
  query
    .selectFrom(primaryTagsOfProjects(p).as('t'))
    .innerJoin('tags as e', 'e.id', 't.tagId')
    .where('e.deletedAt', 'is', null)
    .select(['t.parentId', 't.projectId', 't.tagId']),
);

type ProjectPlace = { readonly parentId: string; readonly projectId: string };

/**
 * The primary tags of projects in many accounts and organizations, read as the owner. The caller
 * has authorized each of them.
 */
export async function listPrimaryTags(tx: Pick<Transaction, 'query'>, places: readonly ProjectPlace[]) {
  const keyOf = ({ parentId, projectId }: ProjectPlace) => `${parentId} ${projectId}`;
  const asked = new Set(places.map(keyOf));
  const found = await tx.query(primaryTags, { projectIds: places.map(({ projectId }) => projectId) });
  return found.filter((row) => asked.has(keyOf(row))).map(({ projectId, tagId }) => ({ projectId, tagId }));
}

/** The entities that carry all of the tags. */
export async function listTagged(tx: Transaction, scope: ParsedScope, entity: TaggedEntity, tagIds: readonly string[]): Promise<string[]> {
  const { listCarriers } = tagStatementsFor(scope.tenant, entity);
  const rows = await tx.query(listCarriers, { tenant: scope.tenant, scopeId: scope.id, entity, tagIds: [...new Set(tagIds)] });
  return rows.map(({ entityId }) => entityId);
}

/** Removes the tags of a deleted entity. */
export async function clearTags(tx: Transaction, scope: ParsedScope, entity: TaggedEntity, entityId: string): Promise<void> {
  await tx.execute(tagStatementsFor(scope.tenant, entity).clear, { tenant: scope.tenant, scopeId: scope.id, entity, entityId });
}

const clearInAllScopes = statement('rbac_clear_tags_everywhere', (p: Params<{ entity: string; entityId: string }>) =>
  query.deleteFrom('entity_tags').where('entity', '=', p.entity).where('entityId', '=', p.entityId),
);
/** Removes the tags of a deleted entity in all scopes; only the owner of the tables can. */
export function clearTagsEverywhere(tx: Transaction, entity: TaggedEntity, entityId: string): Promise<number> {
  return tx.execute(clearInAllScopes, { entity, entityId });
}
