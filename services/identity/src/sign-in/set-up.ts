/**
 * A set-up link as a request of its page names it (decision 37): bound to the browser that began,
 * and worth no more than its maker.
 */
import { failures } from '@tessera/kernel/errors';
import type { AuditEntry, OperationContext } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { isLiveCredential } from '../apps/storage/service-accounts.ts';
import { wireVoucher } from '../apps/voucher.ts';
import { isTrustedOrigin, readBrowser } from '../ground/browser-binding.ts';
import type { SignInDeps } from './deps.ts';
import { errors } from './errors.ts';
import { findSetUpLink, isLive, lockSetUpLink, type SetUpLink } from './storage/set-up-links.ts';

type Context = Pick<OperationContext<SignInDeps>, 'deps' | 'request' | 'now'>;

export const setUpCookie = 'set_up';
export const setUpDays = 7;

/** What a link does in the name of its maker. */
export const setUpActions = ['Connection:Create', 'Domain:Create', 'Domain:Update'] as const;
/** One that may make the token of a directory. */
export const directoryActions = ['ServiceAccount:Create', 'ServiceAccount:Update'] as const;

type Vouched = Pick<SetUpLink, 'voucher' | 'organizationId'>;

/** Whether the maker may do all of these in the organization now. */
export async function mayAll(
  { voucher, organizationId }: Vouched,
  actions: readonly string[],
  { catalogue }: Pick<SignInDeps, 'catalogue'>,
): Promise<boolean> {
  const scope = { tenant: 'organization', id: organizationId };
  const { verdicts } = await catalogue.checkActions({ actor: wireVoucher(voucher), scope, actions: [...actions] });
  return verdicts.length === actions.length && verdicts.every(({ verdict }) => verdict === 'allowed');
}

/**
 * Whether the maker of the link may still do what it does. A session stands for its person; what a
 * service account made ends with its credential.
 */
export async function stands(
  { voucher, organizationId }: Vouched,
  { database, tenancy, catalogue }: Pick<SignInDeps, 'database' | 'tenancy' | 'catalogue'>,
  now: Date,
): Promise<boolean> {
  const { type, userId, tokenId } = voucher;
  const [{ isOpen, isMember }, mayStill, isLiveAccount] = await Promise.all([
    tenancy.getAdmission({ organizationId, address: '', userId: type === 'session' ? userId : '' }),
    mayAll({ voucher, organizationId }, setUpActions, { catalogue }),
    type === 'serviceAccount' && isLiveCredential(database, userId, tokenId, now),
  ]);
  return isOpen && mayStill && (type === 'session' ? isMember : isLiveAccount);
}

const mostRequests = 60;
const windowSeconds = 60;

/** Refuses a link that has ended, and whose maker may not give it any more. */
export async function assertStands(link: SetUpLink, { deps, now }: Pick<Context, 'deps' | 'now'>): Promise<void> {
  const { revokedAt, expiresAt } = link;
  if (revokedAt !== null || Date.parse(expiresAt) <= now.getTime() || !(await stands(link, deps, now))) throw errors.endedSetUp();
}

/** The link of a page that reads. An id that is unknown, and another browser's, is not found. */
export async function requireSetUp(id: string, { deps, request, now }: Context): Promise<SetUpLink> {
  const link = await findSetUpLink(deps.database, id);
  const browser = readBrowser(request, deps.settings.appUrl, setUpCookie);
  if (link === undefined || browser === undefined || link.browser !== browser) throw failures.notFound('SetUpLink');
  if ((await deps.counters.increment(`set-up:${id}`, 1, windowSeconds)) > mostRequests) throw failures.rateLimited(windowSeconds);
  await assertStands(link, { deps, now });
  return link;
}

/** The same for a change: a page of ours asks, and the link is not used up. */
export async function requireOpenSetUp(id: string, context: Context): Promise<SetUpLink> {
  assertOwnPage(context);
  const link = await requireSetUp(id, context);
  if (link.finishedAt !== null) throw errors.finishedSetUp();
  return link;
}

/** A browser names the page that asks. SameSite alone does not hold in every browser. */
export function assertOwnPage({ request, deps }: Pick<Context, 'request' | 'deps'>): void {
  if (!isTrustedOrigin(request, deps.settings.cookieOrigins)) throw failures.forbidden();
}

/** Whether the link can still be used, in the browser of this request. */
export async function isOpenHere(id: string, { deps, request, now }: Context): Promise<boolean> {
  const link = await findSetUpLink(deps.database, id);
  const browser = readBrowser(request, deps.settings.appUrl, setUpCookie);
  return link !== undefined && browser !== undefined && link.browser === browser && isLive(link, now) && stands(link, deps, now);
}

/** Held until the commit: of a change and a revocation at the same time, one comes first. */
export async function holdOpenSetUp(tx: Transaction, id: string, now: Date): Promise<SetUpLink> {
  const link = await lockSetUpLink(tx, id);
  if (link === undefined) throw failures.notFound('SetUpLink');
  if (link.finishedAt !== null) throw errors.finishedSetUp();
  if (!isLive(link, now)) throw errors.endedSetUp();
  return link;
}

/** The row names the link and its maker: the holder of the link has no name here. */
export function auditedAs({ id, organizationId, createdBy }: SetUpLink, { detail, ...entry }: AuditEntry): AuditEntry {
  const scope = { tenant: 'organization', id: organizationId } as const;
  return { scope, targetType: 'SetUpLink', targetId: id, ...entry, detail: { ...detail, setUpLinkId: id, setUpLinkMadeBy: createdBy } };
}

/** For tenancy, which writes the same into its rows. */
export function wireCaller({ id, organizationId, createdBy }: SetUpLink, { request }: Pick<Context, 'request'>) {
  const { id: requestId, ipAddress, userAgent } = request;
  return { organizationId, linkId: id, madeBy: createdBy, requestId, ipAddress, userAgent };
}
