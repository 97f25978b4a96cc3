import type { Database } from '@tessera/kernel/postgres';
import type { KeysDeps } from '../../deps.ts';
import { type ApiKey, actingUserOf, isUsable, makerOf, placeOf, projectScopeOf } from '../../domain/api-key.ts';
import { isServed } from '../../domain/project-grant.ts';
import { parentOf } from '../../domain/signing-scope.ts';
import { listLine, listUsableKeys } from '../../storage/api-keys.ts';
import { isSuspended } from '../../storage/restricted-tenants.ts';

/** The same for a key that is known by its id. */
export async function isLive(id: string, deps: Deps, now: Date): Promise<boolean> {
  const [key] = await listLine(deps.database, id);
  if (key === undefined || (await isSuspended(deps.database, parentOf(projectScopeOf(placeOf(key)))))) return false;
  return isEntitled(key, deps, now);
}

/** As whom each key of a page acts. */
export async function listKeySubjects(database: Database, page: Parameters<typeof listUsableKeys>[1], now: Date) {
  const keys = await listUsableKeys(database, page, now);
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    userId: actingUserOf(key),
    ...(key.roleId === null ? {} : { roleId: key.roleId }),
  }));
}

/** Each may read its line of keys, with a connection. */
const asksAtOnce = 8;

type Deps = Pick<KeysDeps, 'database' | 'projects' | 'roles'>;

/** Keys of one maker with one role are one question: what was just heard is kept. */
export async function listUnentitled(keys: readonly ApiKey[], deps: Deps, now: Date): Promise<readonly ApiKey[]> {
  const found: ApiKey[] = [];
  for (let at = 0; at < keys.length; at += asksAtOnce) {
    const some = keys.slice(at, at + asksAtOnce);
    const held = await Promise.all(some.map((key) => isEntitled(key, deps, now)));
    found.push(...some.filter((_, index) => !held[index]));
  }
  return found;
}

/**
 * Whether the key may act: it and the keys that it was made by are there, and each maker could make
 * its key again now.
 */
export async function isEntitled(key: ApiKey, deps: Deps, now: Date): Promise<boolean> {
  const line = key.parentKeyId === null ? [] : await listLine(deps.database, key.parentKeyId);
  const keys = [key, ...line];
  if (keys.at(-1)?.parentKeyId !== null || !keys.every((each) => isUsable(each, now))) return false;
  const held = await Promise.all(keys.map((each, index) => mayBeMade(each, keys[index + 1], deps)));
  return !held.includes(false);
}

/**
 * The project, or the grant to use it, the acting user and the maker must still be there, and the
 * maker must still be allowed to make such a key.
 */
async function mayBeMade(key: ApiKey, parent: ApiKey | undefined, { projects, roles }: Deps): Promise<boolean> {
  const project = projectScopeOf(placeOf(key));
  const userId = actingUserOf(key);
  const maker = makerOf(key, parent);
  const [place, belongs, isCovered] = await Promise.all([
    projects.place(project),
    projects.belongs(project, userId),
    key.roleId === null || roles.couldStillGive(maker, project, key.roleId),
  ]);
  if (place === undefined || (place.grant !== undefined && !isServed(place.grant)) || !belongs || !isCovered) return false;
  if (userId === key.createdBy) return true;
  return (await projects.belongs(project, key.createdBy)) && roles.coversRolesOf(maker, project, userId);
}
