/** Supporters who act as people of organizations (docs/decisions/038). */
import { findPage, type Page, type PageRequest, type Transaction } from '@tessera/kernel/postgres';
import type { ExpressionBuilder } from 'kysely';
import { query, type Tables } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export const openStatuses = ['requested', 'allowed', 'active'] as const;
export const supportStatuses = [...openStatuses, 'refused', 'ended'] as const;
export type SupportStatus = (typeof supportStatuses)[number];
export const supportEnds = [
  ...(['supporter', 'person', 'organization', 'consent', 'session'] as const),
  ...(['rights', 'membership', 'grant', 'time'] as const),
] as const;
export type SupportEnd = (typeof supportEnds)[number];

export type SupportAccess = {
  readonly id: string;
  readonly supporterId: string;
  readonly userId: string;
  readonly organizationId: string;
  /** `<owner>:<project>` */
  readonly projectScopeId: string;
  readonly reason: string;
  readonly minutes: number;
  readonly status: SupportStatus;
  readonly requestedAt: string;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly consentId: string | null;
  readonly mayWrite: boolean;
  readonly mayExport: boolean;
  readonly sessionId: string | null;
  readonly startedAt: string | null;
  readonly endsAt: string;
  readonly endedAt: string | null;
  readonly endedBy: SupportEnd | null;
};

const columns = [
  ...(['id', 'supporterId', 'userId', 'organizationId', 'projectScopeId', 'reason', 'minutes', 'status', 'requestedAt'] as const),
  ...(['decidedBy', 'decidedAt', 'consentId', 'mayWrite', 'mayExport', 'sessionId', 'startedAt', 'endsAt', 'endedAt', 'endedBy'] as const),
];
const rows = query.selectFrom('support_accesses').select(columns);

/** Fails on `support_accesses_open` while there is an open one of the three. */
export async function insertSupportAccess(tx: Transaction, access: SupportAccess): Promise<SupportAccess> {
  await tx.execute(query.insertInto('support_accesses').values({ ...access, toldAt: null }));
  return access;
}

export async function findSupportAccess(reader: Reader, id: string): Promise<SupportAccess | undefined> {
  return (await reader.query(rows.where('id', '=', id)))[0];
}

/** Consent, exchange and end wait for each other here, and judge the state then. */
export async function lockSupportAccess(tx: Transaction, id: string): Promise<SupportAccess | undefined> {
  return (await tx.query(rows.where('id', '=', id).forUpdate()))[0];
}

/** How many are open of a supporter in an organization. */
export async function countOpenAccesses(reader: Reader, supporterId: string, organizationId: string): Promise<number> {
  const open = rows.where('supporterId', '=', supporterId).where('organizationId', '=', organizationId);
  return (await reader.query(open.where('status', 'in', openStatuses))).length;
}

type Decision = Pick<SupportAccess, 'decidedBy' | 'decidedAt' | 'mayWrite' | 'mayExport' | 'endsAt'>;

/** Of a row that the transaction has locked. */
export async function allowSupportAccess(tx: Transaction, id: string, decision: Decision): Promise<void> {
  const requested = query.updateTable('support_accesses').where('id', '=', id).where('status', '=', 'requested');
  await tx.execute(requested.set({ ...decision, status: 'allowed' }));
}

/** False when it has ended. It can't end before this transaction does. */
export async function holdSessionOfSupport(tx: Transaction, sessionId: string): Promise<boolean> {
  return (await tx.query(query.selectFrom('sessions').where('id', '=', sessionId).select('id').forShare())).length === 1;
}

export async function startSupportAccess(
  tx: Transaction,
  id: string,
  start: { readonly sessionId: string; readonly startedAt: string; readonly endsAt: string },
): Promise<void> {
  const allowed = query.updateTable('support_accesses').where('id', '=', id).where('status', '=', 'allowed');
  await tx.execute(allowed.set({ ...start, status: 'active' }));
}

type Row = ExpressionBuilder<Tables, 'support_accesses'>;
type Which = (row: Row) => ReturnType<Row['and']>;

/**
 * Ends all open ones that match, and returns their ids: revoke them in the same transaction. One
 * that was not allowed counts as refused.
 */
async function endWhere(tx: Transaction, which: Which, endedBy: SupportEnd, now: Date): Promise<string[]> {
  const open = query.updateTable('support_accesses').where('status', 'in', openStatuses).where(which);
  const ended = await tx.query(
    open
      .set(({ eb }) => ({
        status: eb
          .case()
          .when('status', '=', 'requested')
          .then('refused' as const)
          .else('ended' as const)
          .end(),
        endedAt: now.toISOString(),
        endedBy,
      }))
      .returning('id'),
  );
  return ended.map(({ id }) => id);
}

export function endSupportAccess(tx: Transaction, id: string, endedBy: SupportEnd, now: Date): Promise<string[]> {
  return endWhere(tx, ({ and }) => and({ id }), endedBy, now);
}

export function endSupportOfSessions(tx: Transaction, sessionIds: readonly string[], now: Date): Promise<string[]> {
  return endWhere(tx, ({ and, eb, fn, val }) => and([eb('sessionId', '=', fn.any(val(sessionIds)))]), 'session', now);
}

/** The supporter, the person, or who allowed it: their standing consents are deleted as well. */
export async function endSupportOfPerson(tx: Transaction, userId: string, now: Date): Promise<string[]> {
  await tx.execute(query.deleteFrom('support_consents').where('givenBy', '=', userId));
  const names = ['supporterId', 'userId', 'decidedBy'] as const;
  return endWhere(tx, ({ or, eb }) => or(names.map((name) => eb(name, '=', userId))), 'membership', now);
}

/**
 * These people may no longer speak for the organization. What they have allowed ends with that, and
 * so do their standing consents: another may allow it anew. Only organizations allow it.
 */
export async function endSupportAllowedBy(tx: Transaction, scopeId: string, userIds: readonly string[], now: Date): Promise<string[]> {
  if (scopeId.includes(':')) return [];
  const consents = query.deleteFrom('support_consents').where('organizationId', '=', scopeId);
  await tx.execute(consents.where(({ eb, fn, val }) => eb('givenBy', '=', fn.any(val(userIds)))));
  return endWhere(
    tx,
    ({ and, eb, fn, val }) => and([eb('organizationId', '=', scopeId), eb('decidedBy', '=', fn.any(val(userIds)))]),
    'consent',
    now,
  );
}

/**
 * These people have left, were blocked or hold other rights in a scope: as the person of that
 * organization (or of its use of a project), or as the supporter of a project there.
 */
export function endSupportIn(
  tx: Transaction,
  {
    scopeId,
    userIds,
    endedBy,
  }: { readonly scopeId: string; readonly userIds: readonly string[]; readonly endedBy: 'rights' | 'membership' },
  now: Date,
): Promise<string[]> {
  const [rootId = ''] = scopeId.split(':');
  return endWhere(
    tx,
    ({ and, or, eb, fn, val }) =>
      and([
        or([
          and([eb('userId', '=', fn.any(val(userIds))), eb('organizationId', '=', rootId)]),
          and([
            eb('supporterId', '=', fn.any(val(userIds))),
            or([eb('projectScopeId', '=', scopeId), eb('projectScopeId', 'like', `${rootId}:%`)]),
          ]),
        ]),
      ]),
    endedBy,
    now,
  );
}

/** An organization uses a project no more, or its use is suspended. */
export function endSupportOfGrant(tx: Transaction, organizationId: string, projectScopeId: string, now: Date): Promise<string[]> {
  return endWhere(tx, ({ and }) => and({ organizationId, projectScopeId }), 'grant', now);
}

export function endSupportOfConsent(tx: Transaction, consentId: string, now: Date): Promise<string[]> {
  return endWhere(tx, ({ and }) => and({ consentId }), 'consent', now);
}

/** Organizations and projects that are deleted, by their ids. */
export async function endSupportInScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<string[]> {
  const organizationIds = scopeIds.filter((id) => !id.includes(':'));
  await tx.execute(
    query
      .deleteFrom('support_consents')
      .where(({ or, eb, fn, val }) =>
        or([eb('organizationId', '=', fn.any(val(organizationIds))), eb('projectScopeId', '=', fn.any(val(scopeIds)))]),
      ),
  );
  return endWhere(
    tx,
    ({ and, or, eb, fn, val }) =>
      and([or([eb('organizationId', '=', fn.any(val(organizationIds))), eb('projectScopeId', '=', fn.any(val(scopeIds)))])]),
    'grant',
    now,
  );
}

export function endLapsedSupport(tx: Transaction, now: Date): Promise<string[]> {
  return endWhere(tx, ({ and, eb }) => and([eb('endsAt', '<=', now.toISOString())]), 'time', now);
}

/** Those that were begun and have ended, and whose end was not told yet. */
export function listUntoldSupport(reader: Reader): Promise<SupportAccess[]> {
  const untold = rows.where('status', '=', 'ended').where('startedAt', 'is not', null).where('toldAt', 'is', null);
  return reader.query(untold.orderBy('endedAt').limit(100));
}

/** False when another replica tells of it. */
export async function markSupportTold(tx: Transaction, id: string, now: Date): Promise<boolean> {
  const untold = query.updateTable('support_accesses').where('id', '=', id).where('toldAt', 'is', null);
  return (await tx.execute(untold.set({ toldAt: now.toISOString() }))) === 1;
}

export type SupportOf = { readonly userId: string } | { readonly organizationId: string } | { readonly projectScopeId: string };

/** The newest first. */
export async function pageSupportAccesses(
  reader: Reader,
  of: SupportOf,
  { page, limit, isOpen }: PageRequest & { readonly isOpen?: boolean | undefined },
): Promise<Page<SupportAccess>> {
  const own = query.selectFrom('support_accesses').where(({ and }) => and(of));
  return findPage(reader, {
    name: 'identity_page_support_accesses',
    from: isOpen === true ? own.where('status', 'in', openStatuses) : own,
    select: (from) => from.select(columns),
    sort: { fields: { requestedAt: 'requestedAt' }, default: 'requestedAt' },
    id: 'id',
    input: { page, limit, sortField: 'requestedAt', sortOrder: 'desc' },
  });
}

export type SupportConsent = {
  readonly id: string;
  readonly organizationId: string;
  readonly projectScopeId: string;
  readonly mayWrite: boolean;
  readonly mayExport: boolean;
  readonly givenBy: string;
  readonly givenAt: string;
  readonly endsAt: string;
};

const consentColumns = ['id', 'organizationId', 'projectScopeId', 'mayWrite', 'mayExport', 'givenBy', 'givenAt', 'endsAt'] as const;

/** Replaces the one for the project. Undefined, or the id of that one. */
export async function replaceSupportConsent(tx: Transaction, consent: SupportConsent): Promise<string | undefined> {
  const { organizationId, projectScopeId } = consent;
  const before = query.deleteFrom('support_consents').where(({ and }) => and({ organizationId, projectScopeId }));
  const [replaced] = await tx.query(before.returning('id'));
  await tx.execute(query.insertInto('support_consents').values(consent));
  return replaced?.id;
}

/** Locked: a request that counts on it commits before it is withdrawn. */
export async function holdSupportConsent(
  tx: Transaction,
  organizationId: string,
  projectScopeId: string,
  now: Date,
): Promise<SupportConsent | undefined> {
  const own = query.selectFrom('support_consents').where(({ and }) => and({ organizationId, projectScopeId }));
  return (await tx.query(own.where('endsAt', '>', now.toISOString()).select(consentColumns).forShare()))[0];
}

export async function deleteSupportConsent(tx: Transaction, organizationId: string, id: string): Promise<SupportConsent | undefined> {
  const own = query.deleteFrom('support_consents').where(({ and }) => and({ organizationId, id }));
  return (await tx.query(own.returning(consentColumns)))[0];
}

export async function listSupportConsents(reader: Reader, organizationId: string, now: Date): Promise<SupportConsent[]> {
  const own = query.selectFrom('support_consents').where('organizationId', '=', organizationId);
  return reader.query(own.where('endsAt', '>', now.toISOString()).select(consentColumns).orderBy('givenAt'));
}
