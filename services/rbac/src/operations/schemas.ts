import {
  entityFields,
  FreeObject,
  Id,
  Metadata,
  Name,
  NameOf,
  Nullable,
  pageOf,
  scopeField,
  strict,
  TextOf,
} from '@tessera/kernel/operation';
import Type from 'typebox';

/** The inputs and outputs of rbac's operations. */
export const Description = Nullable(TextOf(2_000));
/**
 * Users can write their own `user.metadata` (PATCH /api/me). Values that only managers may set
 * belong in `member.metadata`, or in the metadata of `role` and `group`.
 */
export const ConditionSchema = Nullable(
  FreeObject(
    'A JSON condition, which reads what people write of themselves as user.metadata, and what Owners and Admins write of them as member.metadata,',
    16,
  ),
);
const primaryTagId = Nullable(Id);

const isShared = Type.Boolean({ description: 'Of a product that another organization owns: it is never changed here' });
const named = { ...entityFields, name: Name, description: Description, isShared };

export const Role = Type.Object({
  ...named,
  metadata: Metadata,
  isBuiltIn: Type.Boolean(),
  rank: Nullable(Type.Integer()),
  isGrantable: Type.Boolean({ description: 'Of a project: organizations that use it may give it, unless their grant names its roles' }),
  primaryTagId,
});
const roleId = Nullable(
  Type.String({ description: 'The role whose own group it is: its permissions are set with the role, and no other role has it' }),
);
export const Group = Type.Object({ ...named, metadata: Metadata, primaryTagId, roleId });
export const Permission = Type.Object({ ...named, resourceId: Id, action: Type.String(), condition: ConditionSchema, primaryTagId });
export const Resource = Type.Object({
  ...named,
  slug: Type.String(),
  actions: Type.Array(Type.String()),
  isActive: Type.Boolean(),
  isBuiltIn: Type.Boolean(),
  identifier: Nullable(Type.String()),
  primaryTagId,
});
// biome-ignore format: one list
export const tagColors = [
  'purple', 'indigo', 'blue', 'cyan', 'teal', 'emerald', 'sky', 'violet', 'rose', 'pink', 'fuchsia', 'gray', 'red', 'orange', 'amber',
  'yellow', 'lime', 'green',
] as const;
/** A user of identity, in relations. */
export const User = Type.Object({ ...entityFields, name: Type.String(), pictureUrl: Nullable(Type.String()), metadata: Metadata });
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
/** Whether the change touches fields of the role or group that conditions may read. */
export function changesFacts(input: { readonly name?: unknown; readonly description?: unknown; readonly metadata?: unknown }): boolean {
  return input.name !== undefined || input.description !== undefined || input.metadata !== undefined;
}
export const grantable = { isGrantable: Type.Optional(Type.Boolean({ description: 'default true' })) };
export const groupIds = { groupIds: idList(1_000) };
export const permissionIds = { permissionIds: idList(5_000) };

/** No space, and no colon: it joins slug and action. Matched exactly as written. */
export const SlugText = NameOf(100, '^[^:\\s]+$');

export const Identifier = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 2_000,
    examples: ['https://api.example.com/documents'],
    description: 'The address of the API that serves it: what a client names as `resource` (RFC 8707). Several resources may have the same',
  }),
);

export const Actions = Type.Array(SlugText, { maxItems: 200, uniqueItems: true });

/** The tenants that can define roles, groups and permissions. */
export const ownScopes = ['organization', 'accountProject', 'organizationProject'] as const;
/** The tenants that can define resources. */
export const projectScopes = ['accountProject', 'organizationProject'] as const;

/** What a role gives by a group of its own. */
export const rolePermissions = {
  permissions: Type.Optional(
    Type.Array(strict({ resourceId: Id, actions: Actions }, { graphqlType: 'RolePermissionInput' }), {
      maxItems: 500,
      description:
        'The actions that the role gives by a group of its own, which is made with it; replaces those before. A permission that this group has under a condition keeps it',
    }),
  ),
};

export const addressed = { id: Id, ...scopeField };
export const deletion = strict({ ...addressed, hardDelete: Type.Optional(Type.Boolean()) });
