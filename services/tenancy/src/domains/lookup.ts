/** Whether the DNS shows the record of a claim. */
import { Resolver } from 'node:dns/promises';
import { challengeName, isChallenge, type Sight } from '../domain/domain.ts';

export type Claim = { readonly organizationId: string; readonly domain: string; readonly challenge: string };
/** Never rejects: what cannot be answered is `unknown`. */
export type LookUp = (claim: Claim) => Promise<Sight>;

type Options = {
  /** Addresses with ports. Undefined: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** For an attempt at one server; each is asked twice. */
  readonly timeoutMs?: number;
  /** For all attempts together. */
  readonly longestMs?: number;
  readonly most?: number;
  readonly mostOfOrganization?: number;
};

/** The name is not there, or has no TXT record. Everything else says nothing of the record. */
const absentCodes = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Bounded, because an organization can claim a name whose servers are slow: so many look-ups at
 * once, fewer for one organization, each with an end.
 */
export function createLookUp(options: Options = {}): LookUp {
  const { servers, timeoutMs = 2_500, longestMs = 10_000, most = 200, mostOfOrganization = 4 } = options;
  // Throws at the start for a server that is no address.
  if (servers !== undefined) new Resolver().setServers(servers);
  let busy = 0;
  const busyOf = new Map<string, number>();

  async function ask({ domain, challenge }: Claim): Promise<Sight> {
    // One of its own for each look-up: cancelling ends no other.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const end = setTimeout(() => resolver.cancel(), longestMs);
    try {
      const records = await resolver.resolveTxt(challengeName(domain));
      return records.some((chunks) => isChallenge(chunks.join(''), challenge)) ? 'seen' : 'differs';
    } catch (error) {
      return absentCodes.has(String(Object(error).code)) ? 'missing' : 'unknown';
    } finally {
      clearTimeout(end);
    }
  }

  return async (claim) => {
    const ofOrganization = busyOf.get(claim.organizationId) ?? 0;
    if (busy >= most || ofOrganization >= mostOfOrganization) return 'unknown';
    busy += 1;
    busyOf.set(claim.organizationId, ofOrganization + 1);
    try {
      return await ask(claim);
    } finally {
      busy -= 1;
      const left = (busyOf.get(claim.organizationId) ?? 1) - 1;
      if (left === 0) busyOf.delete(claim.organizationId);
      else busyOf.set(claim.organizationId, left);
    }
  };
}
