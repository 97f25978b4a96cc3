/**
 * The long-lived token of a directory (docs/decisions/024). It is exchanged at identity for an
 * access token, which stays here: its rights and its end are those of every access token.
 */
import { hash } from 'node:crypto';
import { asAppError, failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { RequestFacts } from '@tessera/kernel/operation';
import { createLocalCounter } from '@tessera/kernel/quota';
import { LRUCache } from 'lru-cache';
import type { IdentityClient } from '../../peers/clients.ts';
import { type Admitted, admit, type Caller } from './answer.ts';

type Entry = { readonly accessToken: Promise<string>; untilMs: number };
type Admission = { readonly caller: Caller; readonly admitted: Admitted };

export type DirectoryTokens = {
  /** As `admit`, also for a directory token. */
  admitted(caller: Caller): Promise<Admission>;
};

const form = /^tds_[\w-]{40,60}$/;
/** Before the access token ends, so that none ends under way. */
const spareSeconds = 60;
/** Wrong tokens for one organization from one address. Then identity is not asked any more. */
const wrongTokens = { name: 'directory-tokens', windowSeconds: 60 } as const;
const mostWrong = 20;

export function createDirectoryTokens({
  identity,
}: {
  readonly identity: Pick<IdentityClient, 'exchangeDirectoryToken'>;
}): DirectoryTokens {
  const known = new LRUCache<string, Entry>({ max: 10_000 });
  const counter = createLocalCounter();

  /** By address, too: identity notes from where a token was used, and looks at allowed networks. */
  function keyOf(organizationId: string, { bearerToken = '', ipAddress }: RequestFacts): string {
    return hash('sha256', JSON.stringify([organizationId, bearerToken, ipAddress]));
  }

  async function exchange(organizationId: string, facts: RequestFacts, entry: { untilMs: number }): Promise<string> {
    const { bearerToken: token = '', ipAddress, userAgent } = facts;
    const address = `${ipAddress} ${organizationId}`;
    const before = counter.increment(wrongTokens, address, 0, performance.now());
    if (before.count >= mostWrong) throw failures.rateLimited(before.resetSeconds);
    const { accessToken, lifetimeSeconds } = await identity.exchangeDirectoryToken({ token, organizationId, ipAddress, userAgent });
    if (accessToken === '') {
      counter.increment(wrongTokens, address, 1, performance.now());
      throw failures.unauthenticated();
    }
    entry.untilMs = performance.now() + Math.max(lifetimeSeconds - spareSeconds, 1) * 1_000;
    return accessToken;
  }

  /** Requests that come together are one exchange. */
  function accessTokenOf(
    organizationId: string,
    facts: RequestFacts,
  ): { readonly key: string; readonly isKept: boolean; readonly token: Promise<string> } {
    const key = keyOf(organizationId, facts);
    const kept = known.get(key);
    if (kept !== undefined && kept.untilMs > performance.now()) return { key, isKept: true, token: kept.accessToken };
    const times = { untilMs: Number.POSITIVE_INFINITY };
    const token = exchange(organizationId, facts, times);
    const entry: Entry = Object.assign(times, { accessToken: token });
    known.set(key, entry);
    token.catch(() => known.get(key) === entry && known.delete(key));
    return { key, isKept: false, token };
  }

  async function admitted(caller: Caller): Promise<Admission> {
    const { organizationId, facts } = caller;
    const { bearerToken } = facts;
    if (bearerToken === undefined || !form.test(bearerToken)) return { caller, admitted: await admit(caller) };
    if (!isId(organizationId)) throw failures.forbidden();
    const { key, isKept, token } = accessTokenOf(organizationId, facts);
    const own: Caller = { ...caller, facts: { ...facts, bearerToken: await token } };
    try {
      return { caller: own, admitted: await admit(own) };
    } catch (error) {
      if (asAppError(error).kind !== 'unauthenticated') throw error;
      // Revoked; a change of allowed networks does that, too.
      known.delete(key);
      if (!isKept) throw error;
      return admitted(caller);
    }
  }

  return { admitted };
}
