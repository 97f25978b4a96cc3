/** What people allowed apps to do in their name. */
import { findPage, type Page, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { forgetUse } from './acting-apps.ts';

/** `organizationId`: of the one that uses the project; null in the project itself. */
export type ConsentKey = { readonly userId: string; readonly projectAppId: string; readonly organizationId: string | null };

export type Consent = ConsentKey & {
  readonly scopes: readonly string[];
  readonly grantedAt: string;
  readonly lastUsedAt: string;
};

const columns = ['userId', 'projectAppId', 'scopes', 'grantedAt', 'lastUsedAt'] as const;
const here = sql<string | null>`null::uuid`.as('organizationId');
const table = { own: 'project_app_consents', use: 'project_app_grant_consents' } as const;

export async function findConsent(reader: Reader, { userId, projectAppId, organizationId }: ConsentKey): Promise<Consent | undefined> {
  const of = { own: query.selectFrom(table.own), use: query.selectFrom(table.use) };
  const [found] = await reader.query(
    organizationId === null
      ? of.own
          .where('userId', '=', userId)
          .where('projectAppId', '=', projectAppId)
          .select([...columns, here])
      : of.use
          .where('userId', '=', userId)
          .where('projectAppId', '=', projectAppId)
          .where('organizationId', '=', organizationId)
          .select([...columns, sql<string | null>`organization_id`.as('organizationId')]),
  );
  return found;
}

/** Adds the scopes to those that were allowed before. A repeated consent counts as a use. */
export async function addConsent(
  tx: Transaction,
  { userId, projectAppId, organizationId, scopes }: ConsentKey & Pick<Consent, 'scopes'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  const values = { userId, projectAppId, scopes: [...new Set(scopes)].toSorted(), grantedAt: at, lastUsedAt: at };
  const united = (name: string) =>
    sql<string[]>`ARRAY(SELECT unnest(${sql.ref(`${name}.scopes`)} || excluded.scopes) AS name GROUP BY name ORDER BY name)`;
  const changes = { grantedAt: at, lastUsedAt: at };
  await tx.execute(
    organizationId === null
      ? query
          .insertInto(table.own)
          .values(values)
          .onConflict((conflict) => conflict.columns(['userId', 'projectAppId']).doUpdateSet({ ...changes, scopes: united(table.own) }))
      : query
          .insertInto(table.use)
          .values({ ...values, organizationId })
          .onConflict((conflict) =>
            conflict.columns(['userId', 'projectAppId', 'organizationId']).doUpdateSet({ ...changes, scopes: united(table.use) }),
          ),
  );
}

/** A parallel withdrawal waits for the transaction, and then finds every token that was issued. */
export async function markConsentUsed(tx: Transaction, { userId, projectAppId, organizationId }: ConsentKey, now: Date): Promise<void> {
  const lastUsedAt = now.toISOString();
  await tx.execute(
    organizationId === null
      ? query.updateTable(table.own).set({ lastUsedAt }).where('userId', '=', userId).where('projectAppId', '=', projectAppId)
      : query
          .updateTable(table.use)
          .set({ lastUsedAt })
          .where('userId', '=', userId)
          .where('projectAppId', '=', projectAppId)
          .where('organizationId', '=', organizationId),
  );
}

/** Of the person for the app, in every organization. False when there was none. */
export async function deleteConsent(tx: Transaction, userId: string, projectAppId: string): Promise<boolean> {
  await forgetUse(tx, userId, projectAppId);
  const counts = await Promise.all(
    [table.own, table.use].map((name) =>
      tx.execute(query.deleteFrom(name).where('userId', '=', userId).where('projectAppId', '=', projectAppId)),
    ),
  );
  return counts.some((count) => count > 0);
}

/** Of the person for the app, in one organization or in the project itself. */
export async function deleteConsentAt(tx: Transaction, { userId, projectAppId, organizationId }: ConsentKey): Promise<void> {
  if (organizationId === null) {
    await tx.execute(query.deleteFrom(table.own).where('userId', '=', userId).where('projectAppId', '=', projectAppId));
    return;
  }
  const ofUse = query.deleteFrom(table.use).where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  await tx.execute(ofUse.where('organizationId', '=', organizationId));
}

/** Every consent of a person. */
export async function deleteConsentsOf(tx: Transaction, userId: string): Promise<void> {
  await Promise.all([table.own, table.use].map((name) => tx.execute(query.deleteFrom(name).where('userId', '=', userId))));
}

/** Of all people for one app, in every organization. Where it acted stays known. */
export async function deleteConsentsOfApp(tx: Transaction, projectAppId: string): Promise<void> {
  await Promise.all([table.own, table.use].map((name) => tx.execute(query.deleteFrom(name).where('projectAppId', '=', projectAppId))));
}

/** Of all people who signed in to this project for an organization that uses it. */
export async function deleteConsentsOfUse(tx: Transaction, scopeId: string, organizationId: string): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('project_app_grant_consents as c')
      .using('project_apps as a')
      .whereRef('a.id', '=', 'c.projectAppId')
      .where('a.scopeId', '=', scopeId)
      .where('c.organizationId', '=', organizationId),
  );
}

/** Undefined when there was none, or no such app; otherwise the id of the app. */
export async function takeConsentByClient(tx: Transaction, userId: string, clientId: string): Promise<string | undefined> {
  const app = await tx.one(query.selectFrom('project_apps').where('clientId', '=', clientId).select('id'));
  return app !== undefined && (await deleteConsent(tx, userId, app.id)) ? app.id : undefined;
}

type PageInput = { readonly page?: number | undefined; readonly limit?: number | undefined };

/** Both tables as one. */
const consents = query
  .selectFrom(table.own)
  .select([...columns, here])
  .unionAll(query.selectFrom(table.use).select([...columns, sql<string | null>`organization_id`.as('organizationId')]))
  .as('c');
const shown = ['c.userId', 'c.projectAppId', 'c.scopes', 'c.grantedAt', 'c.lastUsedAt'] as const;

type Asked = Omit<ConsentKey, 'userId'> & { readonly scope: string; readonly userIds: readonly string[] };

/** Of these people those whose consent lacks the scope. People without a consent are left out. */
export async function listRefusing(reader: Reader, { projectAppId, organizationId, scope, userIds }: Asked): Promise<string[]> {
  if (userIds.length === 0) return [];
  const rows = await reader.query(
    query
      .selectFrom(consents)
      .where('c.userId', '=', ({ fn, val }) => fn.any(val(userIds)))
      .where('c.projectAppId', '=', projectAppId)
      .where('c.organizationId', 'is not distinct from', organizationId)
      .where(sql<boolean>`NOT (${scope} = ANY (c.scopes))`)
      .select('c.userId'),
  );
  return rows.map(({ userId }) => userId);
}

/**
 * Of the people of the project who are not deleted; the latest used first. Who of another
 * organization uses the app is not its owner's to see.
 */
export async function pageConsentsOfApp(tx: Pick<Transaction, 'query'>, projectAppId: string, input: PageInput): Promise<Page<Consent>> {
  return findPage(tx, {
    name: 'identity_page_consents_of_app',
    from: query
      .selectFrom(`${table.own} as c`)
      .innerJoin('users as u', 'u.id', 'c.userId')
      .where('c.projectAppId', '=', projectAppId)
      .where('u.deletedAt', 'is', null),
    select: (rows) => rows.select([...shown, here]),
    sort: { fields: { lastUsedAt: 'c.lastUsedAt' }, default: 'lastUsedAt' },
    id: 'c.userId',
    input: { ...input, sortOrder: 'desc' },
  });
}

/** Of apps that are not deleted; the latest used first. */
export async function pageConsentsOfUser(tx: Pick<Transaction, 'query'>, userId: string, input: PageInput) {
  return findPage(tx, {
    name: 'identity_page_consents_of_user',
    from: query
      .selectFrom(consents)
      .innerJoin('project_apps as a', 'a.id', 'c.projectAppId')
      .where('c.userId', '=', userId)
      .where('a.deletedAt', 'is', null),
    select: (rows) =>
      rows.select(['a.clientId', 'a.name', 'a.scopeTenant', 'a.scopeId', 'c.organizationId', 'c.scopes', 'c.grantedAt', 'c.lastUsedAt']),
    sort: { fields: { lastUsedAt: 'c.lastUsedAt' }, default: 'lastUsedAt' },
    id: 'c.projectAppId',
    input: { ...input, sortOrder: 'desc' },
  });
}
