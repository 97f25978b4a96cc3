import type { Subject } from '@tessera/kernel/authorization';
import { joinTokenScope } from '@tessera/kernel/scope';

/**
 * An API key and its place. With `userId` it acts as that user, otherwise it is the project's own
 * and acts by its role.
 */
export type ApiKey = {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly description: string | null;
  readonly roleId: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly accountId: string | null;
  readonly organizationId: string | null;
  readonly projectId: string;
  readonly userId: string | null;
  /** The key with whose token this one was made; null for a key that a session made. */
  readonly parentKeyId: string | null;
};

/** The place of a key: a project, or one user in it. */
export type ApiKeyPlace = {
  readonly tenant: 'accountProject' | 'organizationProject';
  readonly parentId: string;
  readonly projectId: string;
  readonly userId: string | null;
};

export function placeOf({ accountId, organizationId, projectId, userId }: ApiKey): ApiKeyPlace {
  const tenant = organizationId === null ? 'accountProject' : 'organizationProject';
  return { tenant, parentId: organizationId ?? accountId ?? '', projectId, userId };
}

export function projectScopeOf({ tenant, parentId, projectId }: ApiKeyPlace) {
  return { tenant, id: `${parentId}:${projectId}` } as const;
}

/** The scope that a client must name. */
export function scopeOfPlace(place: ApiKeyPlace): { readonly tenant: string; readonly id: string } {
  const { tenant, id } = projectScopeOf(place);
  return place.userId === null ? { tenant, id } : { tenant: `${tenant}User`, id: `${id}:${place.userId}` };
}

/** A project's own key acts for its creator. */
export function actingUserOf({ userId, createdBy }: Pick<ApiKey, 'userId' | 'createdBy'>): string {
  return userId ?? createdBy;
}

/** The subject of the tokens that the key is exchanged for. */
export function subjectOfKey(key: ApiKey): Subject {
  const userId = actingUserOf(key);
  const tokenScope = joinTokenScope(projectScopeOf(placeOf(key)), userId);
  return { type: 'apiKey', userId, tokenId: key.id, tokenScope, ...(key.roleId === null ? {} : { roleId: key.roleId }) };
}

/** Who made the key, and by what: by a session, or with the token of its parent. */
export function makerOf(key: ApiKey, parent: ApiKey | undefined): Subject {
  return parent === undefined ? { type: 'session', userId: key.createdBy, tokenId: key.id } : subjectOfKey(parent);
}

/** Whether the key itself may still be exchanged. */
export function isUsable({ revokedAt, deletedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && deletedAt === null && (expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

/** A token never outlives its key. */
export function tokenLifetimeSeconds({ expiresAt }: ApiKey, now: Date, longestSeconds: number): number {
  if (expiresAt === null) return longestSeconds;
  return Math.min(longestSeconds, Math.floor((Date.parse(expiresAt) - now.getTime()) / 1000));
}

const isoTime = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
/**
 * The last time with a year of four digits, which is the longest that Postgres parses in this
 * format.
 */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 time with its zone. Undefined for an invalid one, such as the thirtieth of
 * February.
 */
export function timeOf(text: string): Date | undefined {
  const day = isoTime.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || !(time <= lastTime)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? new Date(time) : undefined;
}
