import { limitKey } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import type { Count, Counter } from './counter.ts';
import type { Layer, Layers } from './layers.ts';
import type { TenantOf } from './tenant.ts';

export type LimitOptions = {
  readonly counter: Counter;
  readonly layers: Layers;
  readonly tenantOf: TenantOf;
};

/** The time until a retry can succeed. */
export type Refusal = { readonly resetSeconds: number };

/** Returned at once if the counts are in this process. */
export type MaybeRefusal = Refusal | undefined | Promise<Refusal | undefined>;

export type Limiter = {
  /**
   * Counts a request in its layers and adds the rate limit headers. `auth` counts in the global
   * layer, too.
   */
  request(edge: EdgeContext, limit: 'global' | 'auth', authorization: string | undefined): MaybeRefusal;
  /** Counts the attempts of a GraphQL document in the auth layer. */
  attempts(edge: EdgeContext, amount: number): MaybeRefusal;
};

/** For a gateway without limits. */
export const noLimits: Limiter = { request: () => undefined, attempts: () => undefined };

/** Counts before it compares: of any number of concurrent requests exactly `max` pass. */
export function createLimiter({ counter, layers, tenantOf }: LimitOptions): Limiter {
  const countTenant = (layer: Layer, edge: EdgeContext, authorization: string | undefined): Counted => {
    const tenant = tenantOf(authorization, edge);
    const count = (known: string | undefined) => (known === undefined ? undefined : counter.increment(layer, known, 1, edge.arrivedMs));
    return tenant instanceof Promise ? tenant.then(count) : count(tenant);
  };
  return {
    request: (edge, limit, authorization) => {
      const address = limitKey(edge.address);
      const counted: Counted[] = [counter.increment(layers.global, address, 1, edge.arrivedMs)];
      if (limit === 'auth') counted.push(counter.increment(layers.auth, address, 1, edge.arrivedMs));
      if (layers.tenant !== undefined) counted.push(countTenant(layers.tenant, edge, authorization));
      return refusalOf(edge, counted);
    },
    attempts: (edge, amount) =>
      amount === 0 ? undefined : refusalOf(edge, [counter.increment(layers.auth, limitKey(edge.address), amount, performance.now())]),
  };
}

type MaybeCount = Count | undefined;
type Counted = MaybeCount | Promise<MaybeCount>;

function refusalOf(edge: EdgeContext, counted: readonly Counted[]): MaybeRefusal {
  return areCounted(counted) ? headersAndRefusal(edge, counted) : Promise.all(counted).then((counts) => headersAndRefusal(edge, counts));
}

function areCounted(counted: readonly Counted[]): counted is readonly MaybeCount[] {
  return !counted.some((one) => one instanceof Promise);
}

function headersAndRefusal(edge: EdgeContext, counted: readonly MaybeCount[]): Refusal | undefined {
  let policies = '';
  let remaining = '';
  let resetSecondsOfRefusal = 0;
  for (const known of counted) {
    if (known === undefined) continue;
    const { layer, count, resetSeconds } = known;
    const comma = policies === '' ? '' : ', ';
    policies += comma + layer.policy;
    remaining += `${comma}"${layer.name}";r=${Math.max(0, layer.max - count)};t=${resetSeconds}`;
    if (count > layer.max) resetSecondsOfRefusal = Math.max(resetSecondsOfRefusal, resetSeconds);
  }
  addLimitHeaders(edge.responseHeaders, policies, remaining);
  return resetSecondsOfRefusal === 0 ? undefined : { resetSeconds: resetSecondsOfRefusal };
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-10. Layers that are counted later are added
 * to the same pair.
 */
function addLimitHeaders(headers: string[], policies: string, remaining: string): void {
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push('ratelimit-policy', policies, 'ratelimit', remaining);
    return;
  }
  headers[known + 1] += `, ${policies}`;
  headers[known + 3] += `, ${remaining}`;
}
