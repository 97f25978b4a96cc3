import type { InferResult } from 'kysely';
import type { groupRows, permissionRows, resourceRows, roleRows, tagRows } from './entity-tables.ts';

/** Rows as the storage returns them: only what the pivots of the scope reach. */
export type RoleRow = InferResult<ReturnType<typeof roleRows>>[number];
export type GroupRow = InferResult<ReturnType<typeof groupRows>>[number];
export type PermissionRow = InferResult<ReturnType<typeof permissionRows>>[number];
export type ResourceRow = InferResult<ReturnType<typeof resourceRows>>[number];
export type TagRow = InferResult<ReturnType<typeof tagRows>>[number];
