import { type Database, findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { ApiKey, ApiKeyPlace } from '../domain/api-key.ts';
import { query } from './query.ts';

/** An API key with the hash of its secret, which stays in the exchange. */
export type CredentialedKey = ApiKey & {
  readonly secretHash: Buffer;
  /** Whether the operator has suspended the key's account or organization; null: never. */
  readonly isSuspended: boolean | null;
};

export type NewApiKey = {
  readonly id: string;
  readonly clientId: string;
  readonly secretHash: Buffer;
  readonly name: string;
  readonly description: string | null;
  readonly roleId: string | null;
  readonly expiresAt: string | null;
  readonly createdBy: string;
  readonly parentKeyId: string | null;
};

const columns = [
  ...(['id', 'clientId', 'name', 'description', 'roleId', 'expiresAt', 'lastUsedAt', 'revokedAt', 'revokedBy', 'createdBy'] as const),
  ...(['createdAt', 'updatedAt', 'deletedAt', 'accountId', 'organizationId', 'projectId', 'userId', 'parentKeyId'] as const),
] as const;

type PlaceInput = Pick<ApiKeyPlace, 'parentId' | 'projectId' | 'userId'>;

function inputOf({ parentId, projectId, userId }: ApiKeyPlace): PlaceInput {
  return { parentId, projectId, userId };
}

/**
 * The keys of exactly this place: without a user those of the project, with one those of that user.
 */
function keysIn(place: PlaceInput | Params<PlaceInput>) {
  return query
    .selectFrom('placed_api_keys')
    .where(({ fn }) => fn.coalesce('organizationId', 'accountId'), '=', place.parentId)
    .where('projectId', '=', place.projectId)
    .where('userId', 'is not distinct from', place.userId);
}

const find = statement('keys_find_api_key', (p: Params<PlaceInput & { id: string }>) =>
  keysIn(p).where('id', '=', p.id).where('deletedAt', 'is', null).select(columns),
);
const findByClientIds = statement('keys_find_by_client_ids', (p: Params<{ clientIds: readonly string[] }>) =>
  query
    .selectFrom('placed_api_keys')
    .where('clientId', '=', ({ fn }) => fn.any(p.clientIds))
    .select(columns)
    .select('secretHash')
    .select(({ selectFrom }) =>
      selectFrom('restricted_tenants')
        .where('tenant', '=', ({ eb }) =>
          eb
            .case()
            .when('organizationId', 'is', null)
            .then('account' as const)
            .else('organization' as const)
            .end(),
        )
        .where('tenantId', '=', ({ fn }) => fn.coalesce('organizationId', 'accountId'))
        .select('isSuspended')
        .as('isSuspended'),
    ),
);
const findLine = statement('keys_find_line', (p: Params<{ id: string }>) =>
  query
    .withRecursive('line', (db) =>
      db
        .selectFrom('api_keys')
        .where('id', '=', p.id)
        .select(['id', 'parentKeyId'])
        .union(db.selectFrom('api_keys as k').innerJoin('line', 'line.parentKeyId', 'k.id').select(['k.id', 'k.parentKeyId'])),
    )
    .selectFrom('placed_api_keys')
    .where('id', 'in', ({ selectFrom }) => selectFrom('line').select('id'))
    .select(columns),
);
type UsableInput = {
  readonly parentId: string;
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly after: string;
  readonly limit: number;
  readonly now: string;
};
const listUsable = statement('keys_list_usable', (p: Params<UsableInput>) =>
  query
    .selectFrom('placed_api_keys')
    .where(({ fn }) => fn.coalesce('organizationId', 'accountId'), '=', p.parentId)
    .where('projectId', '=', p.projectId)
    .where('deletedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', p.now)]))
    .where(({ eb, or, fn }) =>
      or([eb(fn('cardinality', [sql<string[]>`${p.ids}::uuid[]`]), '=', sql.lit(0)), eb('id', '=', fn.any(p.ids))]),
    )
    .where('id', '>', sql<string>`coalesce(nullif(${p.after}::text, '')::uuid, '00000000-0000-0000-0000-000000000000')`)
    .orderBy('id')
    .limit(p.limit)
    .select(['id', 'name', 'userId', 'createdBy', 'roleId']),
);
const holdParent = statement('keys_hold_parent', (p: Params<{ id: string; now: string }>) =>
  query
    .selectFrom('api_keys')
    .where('id', '=', p.id)
    .where('revokedAt', 'is', null)
    .where('deletedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', p.now)]))
    .select('id')
    .forShare(),
);
const endDescendants = statement('keys_end_descendants', (p: Params<{ ids: readonly string[]; now: string }>) =>
  query
    .withRecursive('descendants', (db) =>
      db
        .selectFrom('api_keys')
        .where('parentKeyId', '=', ({ fn }) => fn.any(p.ids))
        .select('id')
        .union(db.selectFrom('api_keys as k').innerJoin('descendants', 'descendants.id', 'k.parentKeyId').select('k.id')),
    )
    .updateTable('api_keys')
    .set({ revokedAt: p.now, updatedAt: p.now })
    .where('id', 'in', ({ selectFrom }) => selectFrom('descendants').select('id'))
    .where('revokedAt', 'is', null)
    .returning('id'),
);
type MadeBy = { readonly userIds: readonly string[]; readonly parentId: string; readonly projectId: string; readonly now: string };
const listMade = statement('keys_list_made_by', (p: Params<MadeBy>) =>
  query
    .withRecursive('made', (db) =>
      db
        .selectFrom('placed_api_keys')
        .where('createdBy', '=', ({ fn }) => fn.any(p.userIds))
        .where(({ eb, or, val }) =>
          or([eb(sql`${p.parentId}::text`, '=', val('')), eb(sql`coalesce(organization_id, account_id)::text`, '=', p.parentId)]),
        )
        .where(({ eb, or, val }) => or([eb(sql`${p.projectId}::text`, '=', val('')), eb(sql`project_id::text`, '=', p.projectId)]))
        .select('id')
        .union(db.selectFrom('api_keys as k').innerJoin('made', 'made.id', 'k.parentKeyId').select('k.id')),
    )
    .selectFrom('placed_api_keys')
    .where('id', 'in', ({ selectFrom }) => selectFrom('made').select('id'))
    .where('deletedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', p.now)]))
    .select(columns),
);
const touch = statement('keys_touch_api_key', (p: Params<{ id: string; now: string }>) =>
  query
    .updateTable('api_keys')
    .set({ lastUsedAt: p.now })
    .where('id', '=', p.id)
    .where(({ eb, or }) => or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', p.now)])),
);

/** The key in exactly this place; undefined for another place's, and for a deleted one. */
export function findApiKey(tx: Transaction, place: ApiKeyPlace, id: string): Promise<ApiKey | undefined> {
  return tx.one(find, { ...inputOf(place), id });
}

/**
 * The keys of these client ids in any place, in their order: the exchange knows the scope only when
 * the secret is proven. Whether a key's tenant is suspended is read with it, to save a round trip.
 */
export async function findCredentials(db: Database, clientIds: readonly string[]): Promise<(CredentialedKey | undefined)[]> {
  const found = new Map((await db.query(findByClientIds, { clientIds })).map((key) => [key.clientId, key]));
  return clientIds.map((clientId) => found.get(clientId));
}

/** Keys of a project and of its users that have not ended, by id. */
export function listUsableKeys(db: Database, input: Omit<UsableInput, 'now'>, now: Date) {
  return db.query(listUsable, { ...input, now: now.toISOString() });
}

/** The key, its parent and so on, in this order. It ends early where a parent was removed. */
export async function listLine(db: Database, id: string): Promise<ApiKey[]> {
  const byId = new Map((await db.query(findLine, { id })).map((key) => [key.id, key]));
  const line: ApiKey[] = [];
  for (let key = byId.get(id); key !== undefined; key = byId.get(key.parentKeyId ?? '')) line.push(key);
  return line;
}

/** The usable keys that these people made in a place, and those that were made with them. */
export function listKeysMadeBy(
  reader: Pick<Transaction, 'query'>,
  {
    parentId = '',
    projectId = '',
    userIds,
  }: { readonly userIds: readonly string[]; readonly parentId?: string; readonly projectId?: string },
  now: Date,
): Promise<readonly ApiKey[]> {
  return reader.query(listMade, { userIds, parentId, projectId, now: now.toISOString() });
}

/** Whether the key may make others. If so nothing ends it before the transaction does. */
export async function holdParentKey(tx: Transaction, id: string, now: Date): Promise<boolean> {
  return (await tx.one(holdParent, { id, now: now.toISOString() })) !== undefined;
}

/** Revokes what was made with the tokens of these keys, and so on; returns what it ended. */
export async function endKeysMadeBy(tx: Transaction, ids: readonly string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return [];
  return (await tx.query(endDescendants, { ids, now: now.toISOString() })).map(({ id }) => id);
}

export function pageApiKeys(tx: Transaction, place: ApiKeyPlace, input: PageRequest): Promise<Page<ApiKey>> {
  return findPage(tx, {
    name: 'keys_page_api_keys',
    from: keysIn(place).where('deletedAt', 'is', null),
    select: (keys) => keys.select(columns),
    search: ['name', 'description'],
    sort: {
      fields: { name: 'name', createdAt: 'createdAt', updatedAt: 'updatedAt', expiresAt: 'expiresAt', lastUsedAt: 'lastUsedAt' },
      default: 'createdAt',
    },
    id: 'id',
    input,
  });
}

export async function insertApiKey(tx: Transaction, place: ApiKeyPlace, key: NewApiKey, now: Date): Promise<ApiKey> {
  const createdAt = now.toISOString();
  await tx.execute(query.insertInto('api_keys').values({ ...key, createdAt, updatedAt: createdAt }));
  await tx.execute(placing(place, key.id));
  const placed = await findApiKey(tx, place, key.id);
  if (placed === undefined) throw new Error('a new API key is not where it was put');
  return placed;
}

function placing({ tenant, parentId, projectId, userId }: ApiKeyPlace, apiKeyId: string) {
  const inAccount = { apiKeyId, accountId: parentId, projectId };
  const inOrganization = { apiKeyId, organizationId: parentId, projectId };
  const isAccounts = tenant === 'accountProject';
  if (userId !== null) return query.insertInto('project_user_api_keys').values({ ...(isAccounts ? inAccount : inOrganization), userId });
  if (isAccounts) return query.insertInto('account_project_api_keys').values(inAccount);
  return query.insertInto('organization_project_api_keys').values(inOrganization);
}

function idIn(place: ApiKeyPlace, id: string) {
  return keysIn(place).where('id', '=', id).select('id');
}

/** False when it was revoked before, or is not there. */
export async function revokeApiKey(tx: Transaction, place: ApiKeyPlace, id: string, by: string, now: Date): Promise<boolean> {
  const revokedAt = now.toISOString();
  const update = query.updateTable('api_keys').set({ revokedAt, revokedBy: by, updatedAt: revokedAt });
  const count = await tx.execute(update.where('id', 'in', idIn(place, id)).where('deletedAt', 'is', null).where('revokedAt', 'is', null));
  return count === 1;
}

export async function deleteApiKey(
  tx: Transaction,
  place: ApiKeyPlace,
  id: string,
  options: { readonly hard: boolean; readonly now: Date },
): Promise<boolean> {
  if (options.hard) return (await tx.execute(query.deleteFrom('api_keys').where('id', 'in', idIn(place, id)))) === 1;
  const deletedAt = options.now.toISOString();
  const update = query.updateTable('api_keys').set({ deletedAt, updatedAt: deletedAt });
  return (await tx.execute(update.where('id', 'in', idIn(place, id)).where('deletedAt', 'is', null))) === 1;
}

/** Sets lastUsedAt, together with the COMMIT; never moves it back. */
export function touchApiKey(tx: Transaction, id: string, now: Date): void {
  tx.last(touch, { id, now: now.toISOString() });
}

/**
 * Which keys end: all of a parent or a project, those that a user created and those that act as the
 * user, or those that others hold for these users.
 */
export type Ending =
  | { readonly of: 'parent'; readonly parentId: string }
  | { readonly of: 'project'; readonly parentIds: readonly string[]; readonly projectId: string }
  | { readonly of: 'user'; readonly userId: string; readonly parentId?: string; readonly projectId?: string }
  | { readonly of: 'held'; readonly userIds: readonly string[]; readonly parentId: string; readonly projectId?: string };

const nothing = { userId: undefined, userIds: undefined, parentId: undefined, parentIds: undefined, projectId: undefined };

function idsOf(ending: Ending) {
  const { userId, userIds, parentId, parentIds, projectId } = { ...nothing, ...ending };
  return query
    .selectFrom('placed_api_keys')
    .select('id')
    .where(({ eb, fn, and, or, ref, val }) =>
      and([
        ...(userId === undefined ? [] : [or([eb('userId', '=', userId), eb('createdBy', '=', userId)])]),
        ...(userIds === undefined ? [] : [eb('userId', '=', fn.any(val(userIds))), eb('userId', '<>', ref('createdBy'))]),
        ...(parentId === undefined ? [] : [eb(fn.coalesce('organizationId', 'accountId'), '=', parentId)]),
        ...(parentIds === undefined ? [] : [eb(fn.coalesce('organizationId', 'accountId'), '=', fn.any(val(parentIds)))]),
        ...(projectId === undefined ? [] : [eb('projectId', '=', projectId)]),
      ]),
    );
}

/**
 * Revokes the keys, and deletes them when their place is gone. Returns the ids whose tokens must be
 * refused. As the owner.
 */
export async function endApiKeys(
  tx: Transaction,
  ending: Ending,
  { isGone, now }: { readonly isGone: boolean; readonly now: Date },
): Promise<string[]> {
  const endedAt = now.toISOString();
  const ended = await tx.query(
    query
      .updateTable('api_keys')
      .set(({ fn, val }) => ({
        revokedAt: fn.coalesce('revokedAt', val(endedAt)),
        ...(isGone ? { deletedAt: fn.coalesce('deletedAt', val(endedAt)) } : {}),
        updatedAt: endedAt,
      }))
      .where('id', 'in', idsOf(ending))
      .where(({ eb, or }) => or([eb('revokedAt', 'is', null), ...(isGone ? [eb('deletedAt', 'is', null)] : [])]))
      .returning('id'),
  );
  const ids = ended.map(({ id }) => id);
  return [...ids, ...(await endKeysMadeBy(tx, ids, now))];
}

const countOf = statement('keys_count_in_projects', (p: Params<{ parentIds: readonly string[]; projectIds: readonly string[] }>) =>
  query
    .selectFrom('placed_api_keys')
    .where(({ eb, fn }) => eb(fn.coalesce('organizationId', 'accountId'), '=', fn.any(p.parentIds)))
    .where('projectId', '=', ({ fn }) => fn.any(p.projectIds))
    .where('deletedAt', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** The keys of these projects that are not deleted, revoked ones too. As the owner. */
export async function countApiKeys(
  reader: Pick<Transaction, 'query'>,
  projects: readonly { readonly parentId: string; readonly projectId: string }[],
): Promise<number> {
  const ids = { parentIds: projects.map(({ parentId }) => parentId), projectIds: projects.map(({ projectId }) => projectId) };
  const [row] = await reader.query(countOf, ids);
  return Number(row?.count ?? 0);
}

const batchSize = 5_000;

/** Removes up to 5,000 keys that were deleted before this time. */
export async function removeDeletedKeys(tx: Transaction, deletedBefore: Date): Promise<void> {
  const old = query.selectFrom('api_keys').select('id').where('deletedAt', '<', deletedBefore.toISOString()).limit(batchSize);
  await tx.execute(query.deleteFrom('api_keys').where('id', 'in', old));
}
