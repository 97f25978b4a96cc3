import { entityFields, FreeObject, Id, Metadata, Name, Nullable, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';

/** The shapes that these operations take and answer with (interface.md section 2). */
export const Description = Nullable(Type.String({ maxLength: 2_000 }));
/** What it reads as `user.metadata`, people may write of themselves (PATCH /api/me): for what only managers set there are `role` and `group`. */
export const ConditionSchema = Nullable(FreeObject('A JSON condition, which reads what people say of themselves as user.metadata,', 16));
const primaryTagId = Nullable(Id);

const named = { ...entityFields, name: Name, description: Description };

export const Role = Type.Object({ ...named, metadata: Metadata, isBuiltIn: Type.Boolean(), rank: Nullable(Type.Integer()), primaryTagId });
export const Group = Type.Object({ ...named, metadata: Metadata, primaryTagId });
export const Permission = Type.Object({ ...named, resourceId: Id, action: Type.String(), condition: ConditionSchema, primaryTagId });
export const Resource = Type.Object({
  ...named,
  slug: Type.String(),
  actions: Type.Array(Type.String()),
  isActive: Type.Boolean(),
  isBuiltIn: Type.Boolean(),
  primaryTagId,
});
// biome-ignore format: one list
export const tagColors = [
  'purple', 'indigo', 'blue', 'cyan', 'teal', 'emerald', 'sky', 'violet', 'rose', 'pink', 'fuchsia', 'gray', 'red', 'orange', 'amber',
  'yellow', 'lime', 'green',
] as const;
export const Tag = Type.Object({ ...entityFields, name: Name, color: Type.String() });

export const RolePage = pageOf(Role);
export const GroupPage = pageOf(Group);
export const PermissionPage = pageOf(Permission);
export const ResourcePage = pageOf(Resource);
export const TagPage = pageOf(Tag);

function idList(maxItems: number) {
  return Type.Optional(Type.Array(Id, { maxItems, uniqueItems: true }));
}
export const tagging = { tagIds: idList(100), primaryTagId: Type.Optional(primaryTagId) };
export const described = { description: Type.Optional(Description), metadata: Type.Optional(Metadata) };
/** Whether a change of a role or a group touches what conditions may read of it. */
export function changesFacts(input: { readonly name?: unknown; readonly description?: unknown; readonly metadata?: unknown }): boolean {
  return input.name !== undefined || input.description !== undefined || input.metadata !== undefined;
}
export const groupIds = { groupIds: idList(1_000) };
export const permissionIds = { permissionIds: idList(5_000) };

/** No colon (it joins slug and action), no space; matched exactly as written. */
export const SlugText = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^:\\s]+$' });

export const Actions = Type.Array(SlugText, { maxItems: 200, uniqueItems: true });

/** Roles, groups and permissions of one's own: organizations and projects. */
export const ownScopes = ['organization', 'accountProject', 'organizationProject'] as const;
/** Resources of one's own are a project's. */
export const projectScopes = ['accountProject', 'organizationProject'] as const;

export const addressed = { id: Id, ...scopeField };
export const deletion = strict({ ...addressed, hardDelete: Type.Optional(Type.Boolean()) });
