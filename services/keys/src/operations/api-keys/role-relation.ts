import type { Relation } from '@tessera/kernel/operation';
import { scopeOf } from '@tessera/kernel/operation';
import type { KeysDeps } from '../../deps.ts';

/** The role that a project's key acts by; null for a user's key, and for a deleted role. */
export const roleOfApiKey: Relation<KeysDeps> = {
  permission: 'Role:Query',
  load: async (rows, context) => {
    const ids = new Set(rows.flatMap(({ roleId }) => (typeof roleId === 'string' ? [roleId] : [])));
    const found = ids.size === 0 ? [] : await context.deps.roles.find(scopeOf(context), [...ids]);
    const byId = new Map(
      found.map(({ metadataJson, ...role }) => [role.id, { ...role, metadata: parseMetadata(metadataJson), deletedAt: null }]),
    );
    return rows.map(({ roleId }) => (typeof roleId === 'string' ? (byId.get(roleId) ?? null) : null));
  },
};

function parseMetadata(json: string): unknown {
  return json === '' ? {} : JSON.parse(json);
}
