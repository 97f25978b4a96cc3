/** Which apps act for a person, where, and which of them were ended (docs/decisions/026). */
import { findPage, type Page, type PageRequest, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { holdUnblocked } from '../../people/storage/blocked-people.ts';

/** `placeId`: the project, or its use by another organization. */
export type ActingKey = { readonly userId: string; readonly projectAppId: string; readonly placeId: string };

export type ActingApp = ActingKey & {
  readonly rootId: string;
  readonly clientId: string;
  readonly documentUrl: string | null;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopeTenant: 'accountProject' | 'organizationProject';
  readonly scopeId: string;
  readonly scopes: readonly string[];
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
  readonly isByExchange: boolean;
  /** By the person. */
  readonly endedAt: string | null;
  readonly endedByOrganizationAt: string | null;
};

type Use = ActingKey & { readonly isByExchange: boolean };

/**
 * Notes that the app gets a token. False when it was ended. An end in parallel waits for the
 * transaction, and then finds the token. The first exchange at a place asks the person nothing, so
 * their end at another place holds there too.
 */
export async function noteUse(tx: Transaction, { userId, projectAppId, placeId, isByExchange }: Use, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const [rootId = ''] = placeId.split(':');
  const row = { userId, projectAppId, placeId, rootId, firstUsedAt: at, lastUsedAt: at, isByExchange };
  const noted = await tx.query(
    query
      .insertInto('acting_apps')
      .values({ ...row, endedAt: null, endedByOrganizationAt: null })
      .onConflict((conflict) =>
        conflict
          .columns(['userId', 'projectAppId', 'placeId'])
          .doUpdateSet({ lastUsedAt: at, isByExchange })
          .where('acting_apps.endedAt', 'is', null)
          .where('acting_apps.endedByOrganizationAt', 'is', null),
      )
      .returning(sql<boolean>`xmax = 0`.as('isFirst')),
  );
  const [{ isFirst = false } = {}] = noted;
  // After the row above, as an end takes them. A block in parallel waits, and then finds the token.
  if (noted.length > 0 && !(await holdUnblocked(tx, userId))) return false;
  if (isFirst && isByExchange && (await lockOwnEnd(tx, { userId, projectAppId, placeId }))) return false;
  return noted.length > 0;
}

/** Whether the person has ended the app at another place. An end that has begun is waited for. */
async function lockOwnEnd(tx: Transaction, { userId, projectAppId, placeId }: ActingKey): Promise<boolean> {
  const others = query.selectFrom('acting_apps').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  const rows = await tx.query(others.where('placeId', '<>', placeId).select('endedAt').orderBy('placeId').forShare());
  return rows.some(({ endedAt }) => endedAt !== null);
}

/** The person has signed in to the app, or consented: what they ended themselves is over. */
export async function resumeOwn(tx: Transaction, { userId, projectAppId, placeId }: ActingKey): Promise<void> {
  await tx.execute(
    query
      .updateTable('acting_apps')
      .set({ endedAt: null })
      .where('userId', '=', userId)
      .where('projectAppId', '=', projectAppId)
      .where('placeId', '=', placeId)
      .where('endedAt', 'is not', null),
  );
}

export type Ends = Pick<ActingApp, 'endedAt' | 'endedByOrganizationAt'>;

export function isEnded({ endedAt, endedByOrganizationAt }: Ends): boolean {
  return endedAt !== null || endedByOrganizationAt !== null;
}

/**
 * Who has ended the app for the person there. Where it never acted, the person's end at another
 * place counts.
 */
export async function findEnds(reader: Reader, { userId, projectAppId, placeId }: ActingKey): Promise<Ends> {
  const rows = await reader.query(
    query
      .selectFrom('acting_apps')
      .where('userId', '=', userId)
      .where('projectAppId', '=', projectAppId)
      .select(['placeId', 'endedAt', 'endedByOrganizationAt']),
  );
  const endedAt = rows.find((row) => row.endedAt !== null)?.endedAt ?? null;
  return rows.find((row) => row.placeId === placeId) ?? { endedAt, endedByOrganizationAt: null };
}

/** As `findEnds` decides, over all rows of a person and an app. */
const endsAt = (placeId: string) => sql<boolean>`CASE WHEN bool_or(place_id = ${placeId})
  THEN bool_or(place_id = ${placeId} AND (ended_at IS NOT NULL OR ended_by_organization_at IS NOT NULL))
  ELSE bool_or(ended_at IS NOT NULL) END`;

/** Of these people those for whom the app was ended there. */
export async function listEndedFor(
  reader: Reader,
  { projectAppId, placeId }: Omit<ActingKey, 'userId'>,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return [];
  const rows = await reader.query(
    query
      .selectFrom('acting_apps')
      .where('userId', '=', ({ fn, val }) => fn.any(val(userIds)))
      .where('projectAppId', '=', projectAppId)
      .groupBy('userId')
      .having(endsAt(placeId))
      .select('userId'),
  );
  return rows.map(({ userId }) => userId);
}

/** By the person everywhere, or by an organization in its own places. */
export type Whose = { readonly userId: string; readonly clientId: string; readonly organizationId?: string };

function rowsOf({ userId, clientId, organizationId }: Whose) {
  const ofClient = query
    .selectFrom('acting_apps as g')
    .innerJoin('project_apps as a', 'a.id', 'g.projectAppId')
    .where('g.userId', '=', userId)
    .where('a.clientId', '=', clientId)
    .where('a.deletedAt', 'is', null);
  return organizationId === undefined ? ofClient : ofClient.where('g.rootId', '=', organizationId);
}

/** Locks the rows, in one order. Empty when the app never acted for the person there. */
export async function lockActing(tx: Transaction, whose: Whose) {
  const columns = ['g.userId', 'g.projectAppId', 'g.placeId', 'g.rootId', 'g.endedAt', 'g.endedByOrganizationAt'] as const;
  const places = ['a.scopeId', 'a.scopeTenant'] as const;
  return tx.query(
    rowsOf(whose)
      .select([...columns, ...places])
      .orderBy('g.placeId')
      .forUpdate('g'),
  );
}
export type LockedActing = Awaited<ReturnType<typeof lockActing>>[number];

/** Of a row that the transaction has locked. */
export async function changeEnds(tx: Transaction, { userId, projectAppId, placeId }: ActingKey, ends: Partial<Ends>): Promise<void> {
  const row = query.updateTable('acting_apps').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  await tx.execute(row.where('placeId', '=', placeId).set(ends));
}

/** The consent is gone, and with it all that the app had without an exchange. */
export async function forgetUse(tx: Transaction, userId: string, projectAppId: string): Promise<void> {
  const own = query.deleteFrom('acting_apps').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  await tx.execute(own.where('endedAt', 'is', null).where('endedByOrganizationAt', 'is', null).where('isByExchange', '=', false));
}

/** Of a person who left. What the person or the organization has ended stays so. */
export async function forgetUseIn(tx: Transaction, userId: string, scopeId: string): Promise<void> {
  const ofPerson = query.deleteFrom('acting_apps').where('userId', '=', userId);
  const own = ofPerson.where('endedAt', 'is', null).where('endedByOrganizationAt', 'is', null);
  const inScope = scopeId.includes(':') ? own.where('placeId', '=', scopeId) : own.where('rootId', '=', scopeId);
  await tx.execute(inScope);
}

/** An organization uses the project no more. */
export async function forgetUseAt(tx: Transaction, placeId: string, rootId: string): Promise<void> {
  await tx.execute(query.deleteFrom('acting_apps').where('rootId', '=', rootId).where('placeId', '=', placeId));
}

export type Of = { readonly userId?: string | undefined; readonly organizationId?: string };

/** Of a person, of an organization, or of a person in one; the latest used first. */
export async function pageActing(
  tx: Pick<Transaction, 'query'>,
  { userId, organizationId }: Of,
  input: PageRequest,
): Promise<Page<ActingApp>> {
  const rows = query
    .selectFrom('acting_apps as g')
    .innerJoin('project_apps as a', 'a.id', 'g.projectAppId')
    .innerJoin('users as u', 'u.id', 'g.userId')
    .where('a.deletedAt', 'is', null)
    .where('u.deletedAt', 'is', null);
  const ofPerson = userId === undefined ? rows : rows.where('g.userId', '=', userId);
  return findPage(tx, {
    name: 'identity_page_acting_apps',
    from: organizationId === undefined ? ofPerson : ofPerson.where('g.rootId', '=', organizationId),
    select: (from) =>
      from.select([
        ...(['g.userId', 'g.projectAppId', 'g.placeId', 'g.rootId', 'g.firstUsedAt', 'g.lastUsedAt', 'g.isByExchange'] as const),
        ...(['g.endedAt', 'g.endedByOrganizationAt', 'a.clientId', 'a.name', 'a.redirectUris', 'a.scopeTenant', 'a.scopeId'] as const),
        'a.documentUrl',
        allowedScopes.as('scopes'),
      ]),
    sort: { fields: { lastUsedAt: 'g.lastUsedAt' }, default: 'lastUsedAt' },
    // Of an organization a person's id would not be unique.
    id: sql<string>`(g.user_id, g.project_app_id, g.place_id)`,
    input: { ...input, sortField: 'lastUsedAt', sortOrder: 'desc' },
  });
}

/** Of the consent for this place; without one the scopes of the app. */
const allowedScopes = sql<readonly string[]>`coalesce(
  CASE WHEN g.place_id = a.scope_id
    THEN (SELECT c.scopes FROM project_app_consents AS c WHERE c.user_id = g.user_id AND c.project_app_id = g.project_app_id)
    ELSE (SELECT c.scopes FROM project_app_grant_consents AS c
      WHERE c.user_id = g.user_id AND c.project_app_id = g.project_app_id AND c.organization_id = g.root_id) END,
  a.scopes)`;
