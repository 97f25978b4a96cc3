/** Clients that are known by a document, and which of them a project lets in. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { ProjectScope, Voucher } from '../../ground/domain/project-app.ts';
import { insertOrLock, type Locked } from '../../ground/storage/insert-or-lock.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type ClientDocumentRules = {
  readonly isAllowed: boolean;
  /** Exact hosts. */
  readonly domains: readonly string[];
  /** At most these, of what the person has. */
  readonly scopes: readonly string[];
  readonly vouchedBy: string;
  readonly voucher: Voucher | null;
  readonly updatedAt: string;
};

const ruleColumns = ['isAllowed', 'domains', 'scopes', 'vouchedBy', 'voucher', 'updatedAt'] as const;
const findRulesQuery = statement('identity_find_client_document_rules', ({ scopeId }: Params<{ scopeId: string }>) =>
  query.selectFrom('client_document_rules').where('scopeId', '=', scopeId).select(ruleColumns),
);

export async function findRules(reader: Reader, { id }: Pick<ProjectScope, 'id'>): Promise<ClientDocumentRules | undefined> {
  return (await reader.query(findRulesQuery, { scopeId: id }))[0];
}

/** They stay so until the transaction ends: a change waits, and then finds what it made. */
export async function holdRules(tx: Transaction, { id }: Pick<ProjectScope, 'id'>): Promise<ClientDocumentRules | undefined> {
  return tx.one(query.selectFrom('client_document_rules').where('scopeId', '=', id).select(ruleColumns).forShare());
}

/** The row of a project, made if there is none, and locked. */
export function lockRules(
  tx: Transaction,
  { tenant, id }: ProjectScope,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<Locked<ClientDocumentRules>> {
  const none = { isAllowed: false, domains: [], scopes: [], vouchedBy: userId, voucher: null, updatedAt: now.toISOString() };
  return insertOrLock(
    tx,
    query
      .insertInto('client_document_rules')
      .values({ scopeId: id, scopeTenant: tenant, ...none })
      .onConflict((conflict) => conflict.column('scopeId').doNothing()),
    query.selectFrom('client_document_rules').where('scopeId', '=', id).select(ruleColumns).forUpdate(),
  );
}

type Set = Pick<ClientDocumentRules, 'isAllowed' | 'domains' | 'scopes'> & { readonly voucher: Voucher };

export async function saveRules(
  tx: Transaction,
  { id }: ProjectScope,
  { voucher, ...rules }: Set,
  now: Date,
): Promise<ClientDocumentRules> {
  const saved = await tx.one(
    query
      .updateTable('client_document_rules')
      .set({ ...rules, voucher, vouchedBy: voucher.userId, updatedAt: changedAt(now) })
      .where('scopeId', '=', id)
      .returning(ruleColumns),
  );
  if (saved === undefined) throw new Error('the rules of a project were deleted meanwhile');
  return saved;
}

/** As the apps that this person vouches for, likewise. */
export async function stopRulesOf(tx: Transaction, userId: string, scopeId: string): Promise<void> {
  const own = query.updateTable('client_document_rules').set({ voucher: null }).where('vouchedBy', '=', userId);
  await tx.execute(own.where('scopeId', 'like', sql<string>`${scopeId}::text || '%'`));
}

/** Likewise of one credential of a service account. */
export async function stopRulesOfCredential(tx: Transaction, accountId: string, credentialId: string): Promise<void> {
  const own = query.updateTable('client_document_rules').set({ voucher: null }).where('vouchedBy', '=', accountId);
  await tx.execute(own.where(sql<string>`voucher ->> 'tokenId'`, '=', credentialId));
}

export async function deleteRulesIn(tx: Transaction, scopeIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('client_document_rules').where('scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds))));
}

export type ReadDocument = {
  readonly digest: Uint8Array;
  readonly ownName: string | null;
  readonly readAt: string;
  readonly freshUntil: string;
};
const documentColumns = ['digest', 'ownName', 'readAt', 'freshUntil'] as const;

export async function findDocument(reader: Reader, projectAppId: string): Promise<ReadDocument | undefined> {
  const [found] = await reader.query(query.selectFrom('client_documents').where('projectAppId', '=', projectAppId).select(documentColumns));
  return found;
}

export async function saveDocument(tx: Transaction, projectAppId: string, document: ReadDocument): Promise<void> {
  const values = { ...document, digest: Buffer.from(document.digest) };
  await tx.execute(
    query
      .insertInto('client_documents')
      .values({ projectAppId, ...values })
      .onConflict((conflict) => conflict.column('projectAppId').doUpdateSet(values)),
  );
}

/** Of a project, in the order in which they are locked. */
export async function listDocumentApps(tx: Transaction, { id }: Pick<ProjectScope, 'id'>) {
  return tx.query(
    query
      .selectFrom('project_apps')
      .where('scopeId', '=', id)
      .where('documentUrl', 'is not', null)
      .where('deletedAt', 'is', null)
      .select(['id', sql<string>`document_url`.as('documentUrl')])
      .orderBy('id')
      .forUpdate(),
  );
}

/**
 * Makes room for one more: the author of a domain on the list could make a row with each document.
 * One that no person has ever allowed goes, the oldest first. False when none may go.
 */
export async function makeRoom(tx: Transaction, { id }: Pick<ProjectScope, 'id'>, most: number, before: Date): Promise<boolean> {
  const own = query
    .selectFrom('project_apps as a')
    .where('a.scopeId', '=', id)
    .where('a.documentUrl', 'is not', null)
    .where('a.deletedAt', 'is', null);
  const counted = await tx.one(own.select(({ fn }) => fn.countAll<number>().as('count')));
  if (Number(counted?.count ?? 0) < most) return true;
  const unused = own
    .where('a.createdAt', '<', before.toISOString())
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('acting_apps as g').whereRef('g.projectAppId', '=', 'a.id').select(sql`1`.as('one')))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('project_app_consents as c').whereRef('c.projectAppId', '=', 'a.id').select(sql`1`.as('one')))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('project_app_grant_consents as c').whereRef('c.projectAppId', '=', 'a.id').select(sql`1`.as('one')))),
    );
  const oldest = unused.select('a.id').orderBy('a.createdAt').limit(1).forUpdate().skipLocked();
  return (await tx.execute(query.deleteFrom('project_apps').where('id', 'in', oldest))) > 0;
}
