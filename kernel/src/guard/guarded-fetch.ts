/**
 * Requests to addresses that other people registered: they must not reach what only this machine
 * can reach (docs/threat-model.md).
 */
import { lookup as lookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, fetch, type RequestInit } from 'undici';
import { readBounded } from './bounded-fetch.ts';
import { isPublicAddress } from './public-addresses.ts';

export type Lookup = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: { readonly address: string; readonly family: number }[]) => void,
) => void;

export type GuardedAgentOptions = {
  /** WEBHOOK_ALLOW_PRIVATE. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number;
  readonly lookup?: Lookup;
  /** To one origin, which many registered addresses may share. */
  readonly connections?: number;
};
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

const lookupBySystem: Lookup = (hostname, options, callback) => lookupAddress(hostname, options, callback);

/**
 * The address is checked in the look-up of the connection itself, so the name is resolved once and
 * cannot point elsewhere after the check. Call `assertReachable` with each URL before.
 */
export function createGuardedAgent({
  allowPrivate,
  timeoutMs = 5_000,
  lookup = lookupBySystem,
  connections = 4,
}: GuardedAgentOptions): Agent {
  const options = { connections, pipelining: 1, maxResponseSize: 1_048_576, connect: { timeout: timeoutMs } };
  return new Agent(allowPrivate ? options : { ...options, connect: { ...options.connect, lookup: publicOnly(lookup) } });
}

/** An address in the URL itself is never looked up. */
export function assertReachable(url: string | URL, allowPrivate: boolean): void {
  const { hostname, protocol } = new URL(url);
  if (allowPrivate) return;
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol !== 'https:') throw new PrivateAddress('only https is allowed');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new PrivateAddress(`${hostname} is not on the public internet`);
}

/** Redirects are not followed; time and size are bounded. */
export function createGuardedFetch(options: GuardedAgentOptions): GuardedFetch & AsyncDisposable {
  const { allowPrivate, timeoutMs = 5_000 } = options;
  const agent = createGuardedAgent(options);
  const guarded = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    assertReachable(url, allowPrivate);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])]);
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher: agent, signal });
    return readBounded({ body: response.body, status: response.status, headers: [...response.headers] });
  };
  return Object.assign(guarded, { [Symbol.asyncDispose]: () => agent.destroy() });
}

/** Refuses a name if any of its addresses is private: the connection may take each of them. */
function publicOnly(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new PrivateAddress(`${hostname} is not on the public internet`), []);
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    });
  };
}
