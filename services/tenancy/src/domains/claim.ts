import { randomBytes } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { mostDomainsOfOrganization } from '../domain/domain.ts';
import { errors } from '../errors.ts';
import { countDomains, type Domain, findClaim, insertDomain, lockDomainsOf } from '../storage/domains.ts';
import { lockOrganization } from '../storage/organizations.ts';

type Claim = { readonly organizationId: string; readonly domain: string; readonly createdBy: string };

/** Undefined for a domain that the organization has claimed already. */
export async function claimDomain(tx: Transaction, { organizationId, domain, createdBy }: Claim): Promise<Domain | undefined> {
  // Held until the commit: an organization that is being deleted claims nothing.
  if ((await lockOrganization(tx, organizationId)) === undefined) throw failures.notFound('Organization');
  await lockDomainsOf(tx, organizationId);
  if ((await findClaim(tx, organizationId, domain)) !== undefined) return undefined;
  if ((await countDomains(tx, organizationId)) >= mostDomainsOfOrganization)
    throw errors.tooManyDomains({ params: { count: mostDomainsOfOrganization } });
  const challenge = `tessera-domain=${randomBytes(32).toString('base64url')}`;
  return insertDomain(tx, { id: newId(), organizationId, domain, challenge, createdBy });
}
