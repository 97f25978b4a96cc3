import { entityFields, Id, Metadata, Nullable, type RestRelation, scopeOf } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { KeysDeps } from '../../deps.ts';

const Role = Type.Object({
  ...entityFields,
  name: Type.String(),
  description: Nullable(Type.String()),
  metadata: Metadata,
  isBuiltIn: Type.Boolean(),
  primaryTagId: Nullable(Id),
});

/** The role that a project's key acts by; null for a user's key, and for a deleted role. */
export const roleOfApiKey: RestRelation<KeysDeps> = {
  permission: 'Role:Query',
  schema: Nullable(Role),
  load: async (rows, context) => {
    const ids = new Set(rows.flatMap(({ roleId }) => (typeof roleId === 'string' ? [roleId] : [])));
    const found = ids.size === 0 ? [] : await context.deps.roles.find(scopeOf(context), [...ids]);
    const byId = new Map(
      found.map(({ metadataJson, description = null, primaryTagId = null, ...role }) => [
        role.id,
        { ...role, description, primaryTagId, metadata: parseMetadata(metadataJson), deletedAt: null },
      ]),
    );
    return rows.map(({ roleId }) => (typeof roleId === 'string' ? (byId.get(roleId) ?? null) : null));
  },
};

function parseMetadata(json: string): unknown {
  return json === '' ? {} : JSON.parse(json);
}
