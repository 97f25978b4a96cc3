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

/** How many seconds until it is worth trying again. */
export type Refusal = { readonly resetSeconds: number };

/** At once where the counts are in this process. */
export type Judgement = Refusal | undefined | Promise<Refusal | undefined>;

export type Limiter = {
  /** Counts a request in its layers, and says so in its answer's headers; `auth` counts in the global layer, too. */
  request(edge: EdgeContext, limit: 'global' | 'auth', authorization: string | undefined): Judgement;
  /** Counts so many tries of a GraphQL document in the auth layer. */
  tries(edge: EdgeContext, amount: number): Judgement;
};

/** Without limits, everything passes. */
export const noLimits: Limiter = { request: () => undefined, tries: () => undefined };

/** Counts first and judges then: of any number of concurrent requests exactly `max` pass. */
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
      return judge(edge, counted);
    },
    tries: (edge, amount) =>
      amount === 0 ? undefined : judge(edge, [counter.increment(layers.auth, limitKey(edge.address), amount, performance.now())]),
  };
}

type Known = Count | undefined;
type Counted = Known | Promise<Known>;

function judge(edge: EdgeContext, counted: readonly Counted[]): Judgement {
  return areKnown(counted) ? verdict(edge, counted) : Promise.all(counted).then((known) => verdict(edge, known));
}

function areKnown(counted: readonly Counted[]): counted is readonly Known[] {
  return !counted.some((one) => one instanceof Promise);
}

function verdict(edge: EdgeContext, counted: readonly Known[]): Refusal | undefined {
  let policies = '';
  let standing = '';
  let wait = 0;
  for (const known of counted) {
    if (known === undefined) continue;
    const { layer, count, resetSeconds } = known;
    const comma = policies === '' ? '' : ', ';
    policies += comma + layer.policy;
    standing += `${comma}"${layer.name}";r=${Math.max(0, layer.max - count)};t=${resetSeconds}`;
    if (count > layer.max) wait = Math.max(wait, resetSeconds);
  }
  addLimitHeaders(edge.responseHeaders, policies, standing);
  return wait === 0 ? undefined : { resetSeconds: wait };
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10: one pair for all layers, whenever they were counted. */
function addLimitHeaders(headers: string[], policies: string, standing: string): void {
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push('ratelimit-policy', policies, 'ratelimit', standing);
    return;
  }
  headers[known + 1] += `, ${policies}`;
  headers[known + 3] += `, ${standing}`;
}
