/** Set-up links of organizations (decision 37). */
import { findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Voucher } from '../../ground/domain/project-app.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

export type SetUpLink = {
  readonly id: string;
  readonly organizationId: string;
  readonly browser: string | null;
  readonly voucher: Voucher;
  readonly createdBy: string;
  readonly email: string | null;
  readonly connectionId: string;
  readonly connectionMadeAt: string | null;
  readonly allowsDirectory: boolean;
  readonly directoryAccountId: string | null;
  readonly begunAt: string | null;
  readonly begunFrom: string | null;
  readonly finishedAt: string | null;
  readonly revokedAt: string | null;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const columns = [
  ...(['id', 'organizationId', 'browser', 'voucher', 'createdBy', 'email', 'connectionId', 'connectionMadeAt', 'allowsDirectory'] as const),
  ...(['directoryAccountId'] as const),
  ...(['begunAt', 'begunFrom', 'finishedAt', 'revokedAt', 'expiresAt', 'createdAt', 'updatedAt'] as const),
] as const;

const links = query.selectFrom('set_up_links');

/** Whether it can still change something, as far as the link itself says. */
export function isLive({ finishedAt, revokedAt, expiresAt }: SetUpLink, now: Date): boolean {
  return finishedAt === null && revokedAt === null && Date.parse(expiresAt) > now.getTime();
}

const lock = statement('identity_lock_set_up_links', `SELECT pg_advisory_xact_lock(hashtextextended('set-up links of ' || $1, 0))`);

/** How many can still be used. Until the commit no other transaction adds one. */
export async function countLiveLinks(tx: Transaction, organizationId: string, now: Date): Promise<number> {
  await tx.query(lock, [organizationId]);
  const live = links
    .where('organizationId', '=', organizationId)
    .where('finishedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now.toISOString());
  return Number((await tx.one(live.select(({ fn }) => fn.countAll<number>().as('count'))))?.count ?? 0);
}

type New = Pick<
  SetUpLink,
  'id' | 'organizationId' | 'voucher' | 'createdBy' | 'email' | 'connectionId' | 'allowsDirectory' | 'expiresAt'
> & {
  readonly token: string;
};

/** Only the hash of its secret is kept. */
export async function insertSetUpLink(tx: Transaction, { token, ...link }: New, now: Date): Promise<SetUpLink> {
  const at = now.toISOString();
  const values = { ...link, tokenHash: hashToken(token), createdAt: at, updatedAt: at };
  const row = await tx.one(query.insertInto('set_up_links').values(values).returning(columns));
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

const findByToken = statement('identity_find_set_up_link_by_token', (p: Params<{ hash: Buffer }>) =>
  links.where('tokenHash', '=', p.hash).select(columns),
);

export async function findSetUpLinkByToken(reader: Reader, token: string): Promise<SetUpLink | undefined> {
  return (await reader.query(findByToken, { hash: hashToken(token) }))[0];
}

const find = statement('identity_find_set_up_link', ({ id }: Params<{ id: string }>) => links.where('id', '=', id).select(columns));

export async function findSetUpLink(reader: Reader, id: string): Promise<SetUpLink | undefined> {
  return (await reader.query(find, { id }))[0];
}

export function lockSetUpLink(tx: Transaction, id: string): Promise<SetUpLink | undefined> {
  return tx.one(links.where('id', '=', id).select(columns).forUpdate());
}

/** The one that may make or has made the connection. */
export function findSetUpLinkOf(tx: Transaction, connectionId: string): Promise<SetUpLink | undefined> {
  return tx.one(links.where('connectionId', '=', connectionId).select(columns));
}

export function pageSetUpLinks(reader: Reader, organizationId: string, input: PageRequest): Promise<Page<SetUpLink>> {
  return findPage(reader, {
    name: 'identity_page_set_up_links',
    from: links.where('organizationId', '=', organizationId),
    select: (rows) => rows.select(columns),
    search: ['email'],
    sort: { fields: { createdAt: 'createdAt', expiresAt: 'expiresAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
}

type Changes = Partial<
  Pick<SetUpLink, 'browser' | 'begunAt' | 'begunFrom' | 'connectionMadeAt' | 'directoryAccountId' | 'finishedAt' | 'revokedAt'>
>;

/** Call it with the row locked. */
export async function updateSetUpLink(tx: Transaction, id: string, changes: Changes, now: Date): Promise<SetUpLink> {
  const set = { ...changes, updatedAt: changedAt(now) };
  const row = await tx.one(query.updateTable('set_up_links').set(set).where('id', '=', id).returning(columns));
  if (row === undefined) throw new Error('a set-up link vanished under its lock');
  return row;
}

/** Those of organizations that are deleted. */
export async function deleteSetUpLinksOf(tx: Transaction, organizationIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('set_up_links').where('organizationId', '=', ({ fn, val }) => fn.any(val(organizationIds))));
}

/** The log keeps what they did. */
export async function deleteOldSetUpLinks(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(query.deleteFrom('set_up_links').where('expiresAt', '<', before.toISOString()));
}
