import { limitKey } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import type { Counter } from './counter.ts';
import { addLimitHeaders, count, type Layer, type Layers, type Verdict } from './layers.ts';
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

export const createLimiter = ({ counter, layers, tenantOf }: LimitOptions): Limiter => {
  const ofTenant = (layer: Layer, tenant: string | undefined): Counted =>
    tenant === undefined ? undefined : count(counter, layer, tenant);
  const countTenant = (layer: Layer, edge: EdgeContext, authorization: string | undefined): Counted => {
    const tenant = tenantOf(authorization, edge);
    return tenant instanceof Promise ? tenant.then((late) => ofTenant(layer, late)) : ofTenant(layer, tenant);
  };
  return {
    request: (edge, limit, authorization) => {
      const address = limitKey(edge.address);
      const counted: Counted[] = [count(counter, layers.global, address)];
      if (limit === 'auth') counted.push(count(counter, layers.auth, address));
      if (layers.tenant !== undefined) counted.push(countTenant(layers.tenant, edge, authorization));
      return judge(edge, counted);
    },
    tries: (edge, amount) => (amount === 0 ? undefined : judge(edge, [count(counter, layers.auth, limitKey(edge.address), amount)])),
  };
};

type Counted = Verdict | undefined | Promise<Verdict | undefined>;

const judge = (edge: EdgeContext, counted: readonly Counted[]): Judgement => {
  const verdicts: Verdict[] = [];
  for (const one of counted) {
    if (one instanceof Promise)
      return Promise.all(counted).then((late) =>
        refuse(
          edge,
          late.filter((verdict) => verdict !== undefined),
        ),
      );
    if (one !== undefined) verdicts.push(one);
  }
  return refuse(edge, verdicts);
};

const refuse = (edge: EdgeContext, verdicts: readonly Verdict[]): Refusal | undefined => {
  addLimitHeaders(edge.responseHeaders, verdicts);
  let resetSeconds = 0;
  for (const verdict of verdicts) if (!verdict.isAllowed) resetSeconds = Math.max(resetSeconds, verdict.resetSeconds);
  return resetSeconds === 0 ? undefined : { resetSeconds };
};
