/**
 * fetch for addresses that other people registered: it must not reach what only this machine can
 * reach (beyond.md section 4).
 */
import { lookup as lookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, fetch, type RequestInit } from 'undici';
import { readBounded } from './bounded-fetch.ts';
import { isPublicAddress } from './public-addresses.ts';

export type GuardedFetchOptions = {
  /** WEBHOOK_ALLOW_PRIVATE. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number;
  readonly lookup?: typeof lookupAddress;
};
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/**
 * The address is checked in the look-up of the connection itself, so the name is resolved once and
 * cannot point elsewhere after the check. Redirects are not followed; time and size are bounded.
 */
export function createGuardedFetch({
  allowPrivate,
  timeoutMs = 5_000,
  lookup = lookupAddress,
}: GuardedFetchOptions): GuardedFetch & AsyncDisposable {
  const options = { connections: 4, pipelining: 1, maxResponseSize: 1_048_576, connect: { timeout: timeoutMs } };
  const agent = new Agent(allowPrivate ? options : { ...options, connect: { ...options.connect, lookup: publicOnly(lookup) } });
  const guarded = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { hostname, protocol } = new URL(url);
    if (!allowPrivate) assertPublic(hostname, protocol);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])]);
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher: agent, signal });
    return readBounded({ body: response.body, status: response.status, headers: [...response.headers] });
  };
  return Object.assign(guarded, { [Symbol.asyncDispose]: () => agent.destroy() });
}

/** An address in the URL itself is never looked up. */
function assertPublic(hostname: string, protocol: string): void {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol !== 'https:') throw new PrivateAddress('only https is allowed');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new PrivateAddress(`${hostname} is not on the public internet`);
}

/** Refuses a name if any of its addresses is private: the connection may take each of them. */
function publicOnly(lookup: typeof lookupAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new PrivateAddress(`${hostname} is not on the public internet`), []);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
