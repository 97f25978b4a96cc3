/**
 * Domains that a set-up link claims and proves (decision 37). identity has asked for the right of
 * its maker.
 */
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { type AuditEntry, writeAudit } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/tenancy.v1';
import type { TenancyDeps } from '../../deps.ts';
import { challengeName } from '../../domain/domain.ts';
import { claimDomain } from '../../domains/claim.ts';
import { settleSight } from '../../domains/settle.ts';
import { errors } from '../../errors.ts';
import { readDomain } from '../../operations/domains/domain.ts';
import { type Domain, findClaim, findDomain, giveToLink, listDomainsOfLink, lockDomain } from '../../storage/domains.ts';

type Deps = Pick<TenancyDeps, 'lookUpDomain'> & { readonly database: Database };

/** So that a stolen link does not use up the organization's. */
const mostDomainsOfLink = 10;

export async function listSetUpDomains(
  { database }: Deps,
  { organizationId, linkId }: wire.ListSetUpDomainsRequest,
): Promise<wire.ListSetUpDomainsResponse> {
  const domains = await database.scoped(scopeOf(organizationId), (tx) => listDomainsOfLink(tx, organizationId, linkId), { readOnly: true });
  return { domains: domains.map(message) };
}

export async function claimSetUpDomain(
  { database }: Deps,
  { caller, domain: text }: wire.ClaimSetUpDomainRequest,
): Promise<wire.SetUpDomain> {
  const domain = readDomain(text);
  const { organizationId, linkId, madeBy: createdBy } = given(caller);
  return database.scoped(scopeOf(organizationId), async (tx) => {
    const made = await claimDomain(tx, { organizationId, domain, createdBy });
    const claim = made ?? (await findClaim(tx, organizationId, domain));
    if (claim === undefined) throw new Error('a domain is claimed already, and is not there');
    const own = await listDomainsOfLink(tx, organizationId, linkId);
    if (own.some(({ id }) => id === claim.id)) return message(claim);
    if (own.length >= mostDomainsOfLink) throw errors.tooManyDomains({ params: { count: mostDomainsOfLink } });
    await giveToLink(tx, claim.id, linkId);
    const action = made === undefined ? 'domain.updated' : 'domain.created';
    await record(tx, given(caller), { operation: 'addSetUpDomain', action, entry: { targetId: claim.id, detail: { name: domain } } });
    return message(claim);
  });
}

export async function checkSetUpDomain(
  { database, lookUpDomain }: Deps,
  { caller, id }: wire.CheckSetUpDomainRequest,
): Promise<wire.SetUpDomain> {
  const { organizationId, linkId } = given(caller);
  const scope = scopeOf(organizationId);
  const claim = await database.scoped(scope, (tx) => ofLink(tx, { organizationId, linkId, id }), { readOnly: true });
  const sight = await lookUpDomain(claim);
  return database.scoped(scope, async (tx) => {
    const before = await lockDomain(tx, organizationId, id);
    if (before === undefined) throw failures.notFound('Domain');
    // As in `verifyDomain`: a check that came in between looked later, and its result stands.
    if (before.checkedAt !== claim.checkedAt) return message(before);
    const { after, action = 'domain.checked' } = await settleSight(tx, before, sight, new Date());
    const changes = before.status === after.status ? [] : [{ field: 'status', before: before.status, after: after.status }];
    const entry = { targetId: id, detail: { name: before.domain, ...(after.problem === null ? {} : { problem: after.problem }) } };
    await record(tx, given(caller), { operation: 'verifySetUpDomain', action, entry, changes });
    return message(after);
  });
}

async function ofLink(
  tx: Transaction,
  { organizationId, linkId, id }: { organizationId: string; linkId: string; id: string },
): Promise<Domain> {
  const own = isId(id) ? await listDomainsOfLink(tx, organizationId, linkId) : [];
  const domain = own.some((one) => one.id === id) ? await findDomain(tx, organizationId, id) : undefined;
  if (domain === undefined) throw failures.notFound('Domain');
  return domain;
}

function scopeOf(id: string) {
  return parseScope({ tenant: 'organization', id });
}

function given(caller: wire.SetUpCaller | undefined): wire.SetUpCaller {
  if (caller === undefined) throw failures.badInput();
  return caller;
}

function message({ id, domain, status, challenge, problem }: Domain): wire.SetUpDomain {
  return { id, domain, status, recordName: challengeName(domain), recordValue: challenge, ...(problem === null ? {} : { problem }) };
}

type Record = {
  readonly operation: string;
  readonly action: string;
  readonly entry: AuditEntry;
  readonly changes?: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
};

/** The row names the link and its maker: the holder of the link has no name here. */
async function record(tx: Transaction, caller: wire.SetUpCaller, { entry, ...row }: Record): Promise<void> {
  const { organizationId, linkId, madeBy, requestId, ipAddress, userAgent } = caller;
  const detail = { ...entry.detail, setUpLinkId: linkId, setUpLinkMadeBy: madeBy };
  const request = {
    ...({ id: requestId, ipAddress, userAgent, transport: 'grpc', language: 'en', bearerToken: undefined, cookies: {} } as const),
    ...({ origin: undefined, consistencyToken: undefined, noCache: false } as const),
  };
  await writeAudit(
    tx,
    { ...row, outcome: 'ok', entry: { targetType: 'Domain', ...entry, detail } },
    { actor: { kind: 'anonymous' }, scope: scopeOf(organizationId), request, now: new Date() },
  );
}
