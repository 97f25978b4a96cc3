import { failures, reasons } from '@tessera/kernel/errors';
import { implement } from '@tessera/kernel/grpc';
import type { Database } from '@tessera/kernel/postgres';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { listPrimaryTags, listTagged, listTags, missingTags, type TaggedEntity, taggedEntities } from '../../storage/entity-tags.ts';
import type { Places } from '../../storage/places.ts';
import { readScope } from './subject.ts';

function readEntity(name: string): TaggedEntity {
  const known = taggedEntities.find((entity) => entity === name);
  if (known === undefined) throw failures.validation('entity', reasons.oneOf(taggedEntities));
  return known;
}

function readPlace({ parent, projectId }: wire.ProjectPlace) {
  const { tenant, id } = readScope(parent);
  if (tenant !== 'account' && tenant !== 'organization')
    throw failures.validation('parent', { en: 'must be an account or an organization', de: 'muss ein Konto oder eine Organisation sein' });
  return { tenant, parentId: id, projectId };
}

/**
 * rbac.v1.Tags: rbac stores the tags of every service's entities. The callers have authorized their
 * own operation.
 */
export function tagsService(database: Database, places: Places) {
  const placeOf = async (scope: wire.Scope) => places.resolve(readScope(scope));
  return implement('rbac.v1.Tags', {
    checkTags: async ({ scope, tagIds }) => {
      const parsed = await placeOf(scope);
      return { missing: await database.scoped(parsed, (tx) => missingTags(tx, parsed, tagIds), { readOnly: true }) };
    },
    listEntityTags: async ({ scope, entity, entityIds }) => {
      const parsed = await placeOf(scope);
      const tags = await database.across([parsed], (tx) => listTags(tx, [parsed], readEntity(entity), entityIds));
      const byEntity = Map.groupBy(tags, ({ ownerId }) => ownerId);
      return {
        entities: entityIds.map((entityId) => {
          const own = byEntity.get(entityId) ?? [];
          const primary = own.find(({ isPrimary }) => isPrimary);
          return {
            entityId,
            tags: own.map(({ id, name, color, createdAt, updatedAt }) => ({ id, name, color, createdAt, updatedAt })),
            ...(primary ? { primaryTagId: primary.id } : {}),
          };
        }),
      };
    },
    listTaggedEntities: async ({ scope, entity, tagIds }) => {
      const parsed = await placeOf(scope);
      return { entityIds: await database.scoped(parsed, (tx) => listTagged(tx, parsed, readEntity(entity), tagIds), { readOnly: true }) };
    },
    listPrimaryTags: async ({ projects }) => ({ tags: await listPrimaryTags(database, projects.map(readPlace)) }),
  });
}
