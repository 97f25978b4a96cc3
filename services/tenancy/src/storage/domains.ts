/** Domains of one organization, in its transaction. What the daily check does runs as the owner. */
import { type Database, findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { DomainLetter, DomainState, DomainStatus } from '../domain/domain.ts';
import { changedNow, query } from './query.ts';

const columns = [
  ...(['id', 'organizationId', 'domain', 'status', 'challenge', 'verifiedAt', 'seenAt', 'failingSince', 'checkedAt'] as const),
  ...(['problem', 'told', 'toldAt', 'createdAt', 'updatedAt'] as const),
] as const;

export type Domain = Awaited<ReturnType<typeof findDomain>> & {};

const lock = statement('domains_lock_organization', `SELECT pg_advisory_xact_lock(hashtext('domains.organization'), hashtext($1))`);

/** Claims of an organization take turns, so that each sees how many there are. */
export async function lockDomainsOf(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query(lock, [organizationId]);
}

const count = statement('domains_count', (p: Params<{ organizationId: string }>) =>
  query
    .selectFrom('domains')
    .where('organizationId', '=', p.organizationId)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** Call it with the organization locked. */
export async function countDomains(tx: Transaction, organizationId: string): Promise<number> {
  return (await tx.one(count, { organizationId }))?.count ?? 0;
}

type Asked = PageRequest & { readonly status?: DomainStatus | undefined };

export function pageDomains(tx: Transaction, organizationId: string, { status, ...input }: Asked): Promise<Page<Domain>> {
  const all = query.selectFrom('domains').where('organizationId', '=', organizationId);
  const from = status === undefined ? all : all.where('status', '=', status);
  return findPage(tx, {
    name: 'domains',
    from,
    select: (rows: typeof from) => rows.select(columns),
    search: ['domain'],
    sort: { fields: { domain: 'domain', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'domain' },
    id: 'id',
    input,
  });
}

function ofOrganization(organizationId: string, id: string) {
  return query.selectFrom('domains').where('organizationId', '=', organizationId).where('id', '=', id).select(columns);
}

/** Those that a set-up link has named, oldest first. */
export function listDomainsOfLink(tx: Transaction, organizationId: string, setUpLinkId: string): Promise<Domain[]> {
  const ofLink = query.selectFrom('domains').where('organizationId', '=', organizationId).where('setUpLinkId', '=', setUpLinkId);
  return tx.query(ofLink.select(columns).orderBy('createdAt').orderBy('id'));
}

/** Undefined for a domain that the organization has not claimed. Call it with its claims locked. */
export function findClaim(tx: Transaction, organizationId: string, domain: string): Promise<Domain | undefined> {
  const claims = query.selectFrom('domains').where('organizationId', '=', organizationId).where('domain', '=', domain);
  return tx.one(claims.select(columns));
}

export async function giveToLink(tx: Transaction, id: string, setUpLinkId: string): Promise<void> {
  await tx.execute(query.updateTable('domains').set({ setUpLinkId }).where('id', '=', id));
}

export function findDomain(tx: Transaction, organizationId: string, id: string) {
  return tx.one(ofOrganization(organizationId, id));
}

/** Held until the transaction ends. */
export function lockDomain(tx: Transaction, organizationId: string, id: string): Promise<Domain | undefined> {
  return tx.one(ofOrganization(organizationId, id).forUpdate());
}

const proven = ['verified', 'failing'] as const;
function provenOf({ organizationId, domain }: Params<{ organizationId: string; domain: string }>) {
  return query
    .selectFrom('domains')
    .where('organizationId', '=', organizationId)
    .where('domain', '=', domain)
    .where('status', 'in', proven)
    .select('id');
}
const findProven = statement('domains_find_proven', provenOf);
const holdProven = statement('domains_hold_proven', (p: Params<{ organizationId: string; domain: string }>) => provenOf(p).forShare());

/** Undefined unless the organization has proven the domain. */
export async function findProvenDomain(db: Pick<Transaction, 'query'>, organizationId: string, domain: string) {
  return (await db.query(findProven, { organizationId, domain }))[0];
}

const findOwner = statement('domains_find_owner', ({ domain }: Params<{ domain: string }>) =>
  query
    .selectFrom('domains as d')
    .innerJoin('organizations as o', 'o.id', 'd.organizationId')
    .leftJoin('tenant_restrictions as r', 'r.tenantId', 'o.id')
    .where('d.domain', '=', domain)
    .where('d.status', 'in', proven)
    .where('o.deletedAt', 'is', null)
    .where('o.closingFor', 'is', null)
    .where('r.suspendedAt', 'is', null)
    .select('d.organizationId'),
);

/** The organization that has proven the domain, unless it is suspended or about to end. */
export async function findDomainOwner(db: Pick<Transaction, 'query'>, domain: string): Promise<string | undefined> {
  return (await db.query(findOwner, { domain }))[0]?.organizationId;
}

const findAnyProven = statement('domains_find_any_proven', (p: Params<{ organizationId: string }>) =>
  query.selectFrom('domains').where('organizationId', '=', p.organizationId).where('status', 'in', proven).select('id').limit(1),
);

/** Whether the organization has proven at least one domain. */
export async function hasProvenDomain(db: Pick<Transaction, 'query'>, organizationId: string): Promise<boolean> {
  return (await db.query(findAnyProven, { organizationId })).length > 0;
}

/** As `findProvenDomain`. The row is locked, so that it stays proven until the transaction ends. */
export function holdProvenDomain(tx: Transaction, organizationId: string, domain: string) {
  return tx.one(holdProven, { organizationId, domain });
}

type NewDomain = Pick<Domain, 'id' | 'organizationId' | 'domain' | 'challenge'> & { readonly createdBy: string };

/** Undefined when the organization has claimed it already. */
export function insertDomain(tx: Transaction, domain: NewDomain): Promise<Domain | undefined> {
  return tx.one(
    query
      .insertInto('domains')
      .values(domain)
      .onConflict((conflict) => conflict.constraint('domains_claim').doNothing())
      .returning(columns),
  );
}

const prove = statement('domains_prove', 'SELECT prove_domain($1, $2) AS "isProven"');

/**
 * Undefined when another organization has the domain. Of two at the same time one waits, and gets
 * undefined.
 */
export async function proveDomain(tx: Transaction, { id, organizationId }: Domain, at: Date): Promise<Domain | undefined> {
  const [row] = await tx.query<{ isProven: boolean }>(prove, [id, at.toISOString()]);
  return row?.isProven === true ? findDomain(tx, organizationId, id) : undefined;
}

/**
 * After a check of a row that is locked. A change of the status is a change of the domain, a check
 * is none. `at` is undefined when the DNS said nothing: that was no check, and the next is due as
 * before.
 */
export function keepCheck(tx: Transaction, before: Domain, state: DomainState, at: Date | undefined): Promise<Domain | undefined> {
  const changed = before.status === state.status ? {} : { updatedAt: changedNow };
  // A later loss of the record is told to the Owners from the start; a lost domain is not proven.
  const ended = { verified: { told: null }, lost: { verifiedAt: null }, pending: {}, failing: {} }[state.status];
  const checked = at === undefined ? {} : { checkedAt: at.toISOString(), askedAt: at.toISOString() };
  return tx.one(
    query
      .updateTable('domains')
      .set({ ...state, ...checked, ...changed, ...ended })
      .where('id', '=', before.id)
      .returning(columns),
  );
}

/** Its proof goes with it: the domain is free. */
export async function deleteDomainRow(tx: Transaction, id: string): Promise<void> {
  await tx.execute(query.deleteFrom('domains').where('id', '=', id));
}

/** Those of an organization that is deleted. Returns how many. */
export function deleteDomainsOf(tx: Transaction, organizationId: string): Promise<number> {
  return tx.execute(query.deleteFrom('domains').where('organizationId', '=', organizationId));
}

export type Intervals = { readonly verifiedSeconds: number; readonly failingSeconds: number };

const isDue = (at: string, { verifiedSeconds, failingSeconds }: Intervals) =>
  sql<boolean>`asked_at <= ${at}::timestamptz - CASE status WHEN 'failing' THEN ${failingSeconds}::float8 ELSE ${verifiedSeconds}::float8 END * interval '1 second'`;

/** Proven domains whose turn it is, longest waiting first. Each is taken by one replica. */
export function takeDueDomains(db: Database, at: Date, intervals: Intervals, limit: number): Promise<Domain[]> {
  const when = at.toISOString();
  return db.transaction(async (tx) => {
    const due = await tx.query(
      query
        .selectFrom('domains')
        .where(sql<boolean>`status IN ('verified', 'failing')`)
        .where(isDue(when, intervals))
        .orderBy('askedAt')
        .limit(limit)
        .select(columns)
        .forUpdate()
        .skipLocked(),
    );
    const ids = due.map(({ id }) => id);
    if (ids.length > 0) await tx.execute(query.updateTable('domains').where('id', 'in', ids).set({ askedAt: when }));
    return due;
  });
}

type Since = { readonly reminded: Date; readonly toldAgain: Date };

/**
 * Those of which the Owners were not told yet. A reminder is due for what has failed since
 * `reminded`, the first mail for those of which nothing was told since `toldAgain`.
 */
export function listUntold(db: Pick<Database, 'query'>, since: Since, after: string, limit: number): Promise<Domain[]> {
  const isUntold = sql<boolean>`CASE status WHEN 'lost' THEN told IS DISTINCT FROM 'lost'
    WHEN 'failing' THEN (told IS NULL AND (told_at IS NULL OR told_at <= ${since.toldAgain.toISOString()}::timestamptz))
      OR (told = 'failing' AND failing_since <= ${since.reminded.toISOString()}::timestamptz) END`;
  return db.query(
    query
      .selectFrom('domains')
      .where(sql<boolean>`(status = 'failing' OR (status = 'lost' AND told IS DISTINCT FROM 'lost'))`)
      .where(isUntold)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .select(columns),
  );
}

/** False when the domain has another state by now, or another replica has told. */
export async function noteTold(tx: Transaction, { id, status, told }: Domain, letter: DomainLetter, at: Date): Promise<boolean> {
  const changed = await tx.execute(
    query
      .updateTable('domains')
      .where('id', '=', id)
      .where('status', '=', status)
      .where('told', 'is not distinct from', told)
      .set({ told: letter, toldAt: at.toISOString() }),
  );
  return changed === 1;
}
