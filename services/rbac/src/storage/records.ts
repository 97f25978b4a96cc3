/** Rows as the storage returns them. */
type Common = { readonly id: string; readonly createdAt: string; readonly updatedAt: string; readonly deletedAt: string | null };
type Named = Common & { readonly name: string; readonly description: string | null };
type Tagged = { readonly primaryTagId: string | null };
type FreeForm = Record<string, unknown>;

export type RoleRow = Named & Tagged & { readonly metadata: FreeForm; readonly isBuiltIn: boolean; readonly rank: number | null };
export type GroupRow = Named & Tagged & { readonly metadata: FreeForm };
export type PermissionRow = Named & Tagged & { readonly resourceId: string; readonly action: string; readonly condition: FreeForm | null };
export type ResourceRow = Named &
  Tagged & { readonly slug: string; readonly actions: string[]; readonly isActive: boolean; readonly isBuiltIn: boolean };
export type TagRow = Common & { readonly name: string; readonly color: string };
