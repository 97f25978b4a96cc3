/** What people allowed apps to do in their name. */
import { findPage, type Page, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type Consent = {
  readonly userId: string;
  readonly projectAppId: string;
  readonly scopes: readonly string[];
  readonly grantedAt: string;
  readonly lastUsedAt: string;
};

const columns = ['userId', 'projectAppId', 'scopes', 'grantedAt', 'lastUsedAt'] as const;

export async function findConsent(reader: Reader, userId: string, projectAppId: string): Promise<Consent | undefined> {
  const [found] = await reader.query(
    query.selectFrom('project_app_consents').where('userId', '=', userId).where('projectAppId', '=', projectAppId).select(columns),
  );
  return found;
}

/** Adds the scopes to those that were allowed before. A repeated consent counts as a use. */
export async function addConsent(
  tx: Transaction,
  { userId, projectAppId, scopes }: Pick<Consent, 'userId' | 'projectAppId' | 'scopes'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await tx.execute(
    query
      .insertInto('project_app_consents')
      .values({ userId, projectAppId, scopes: [...new Set(scopes)].toSorted(), grantedAt: at, lastUsedAt: at })
      .onConflict((conflict) =>
        conflict.columns(['userId', 'projectAppId']).doUpdateSet({
          scopes: sql`ARRAY(SELECT unnest(project_app_consents.scopes || excluded.scopes) AS name GROUP BY name ORDER BY name)`,
          grantedAt: at,
          lastUsedAt: at,
        }),
      ),
  );
}

/** A parallel withdrawal waits for the transaction, and then finds every token that was issued. */
export async function markConsentUsed(tx: Transaction, userId: string, projectAppId: string, now: Date): Promise<void> {
  await tx.execute(
    query
      .updateTable('project_app_consents')
      .set({ lastUsedAt: now.toISOString() })
      .where('userId', '=', userId)
      .where('projectAppId', '=', projectAppId),
  );
}

/** False when there was none. */
export async function deleteConsent(tx: Transaction, userId: string, projectAppId: string): Promise<boolean> {
  const ofBoth = query.deleteFrom('project_app_consents').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  return (await tx.execute(ofBoth)) > 0;
}

/** Every consent of a person. */
export async function deleteConsentsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('project_app_consents').where('userId', '=', userId));
}

/** Undefined when there was none, or no such app; otherwise the id of the app. */
export async function takeConsentByClient(tx: Transaction, userId: string, clientId: string): Promise<string | undefined> {
  const taken = await tx.one(
    query
      .deleteFrom('project_app_consents as c')
      .using('project_apps as a')
      .whereRef('a.id', '=', 'c.projectAppId')
      .where('c.userId', '=', userId)
      .where('a.clientId', '=', clientId)
      .returning('c.projectAppId'),
  );
  return taken?.projectAppId;
}

type PageInput = { readonly page?: number | undefined; readonly limit?: number | undefined };

/** Of the people who are not deleted; the latest used first. */
export async function pageConsentsOfApp(tx: Pick<Transaction, 'query'>, projectAppId: string, input: PageInput): Promise<Page<Consent>> {
  return findPage(tx, {
    name: 'identity_page_consents_of_app',
    from: query
      .selectFrom('project_app_consents as c')
      .innerJoin('users as u', 'u.id', 'c.userId')
      .where('c.projectAppId', '=', projectAppId)
      .where('u.deletedAt', 'is', null),
    select: (consents) => consents.select(['c.userId', 'c.projectAppId', 'c.scopes', 'c.grantedAt', 'c.lastUsedAt']),
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
      .selectFrom('project_app_consents as c')
      .innerJoin('project_apps as a', 'a.id', 'c.projectAppId')
      .where('c.userId', '=', userId)
      .where('a.deletedAt', 'is', null),
    select: (consents) =>
      consents.select(['a.clientId', 'a.name', 'a.scopeTenant', 'a.scopeId', 'c.scopes', 'c.grantedAt', 'c.lastUsedAt']),
    sort: { fields: { lastUsedAt: 'c.lastUsedAt' }, default: 'lastUsedAt' },
    id: 'c.projectAppId',
    input: { ...input, sortOrder: 'desc' },
  });
}
