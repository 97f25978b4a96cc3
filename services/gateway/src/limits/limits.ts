import { limitKey } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import type { Counter } from './counter.ts';
import { count, type Layers, limitHeaders, type Verdict } from './layers.ts';
import type { TenantOf } from './tenant.ts';

export type LimitOptions = {
  readonly counter: Counter;
  readonly layers: Layers;
  readonly tenantOf: TenantOf;
};

/** How many seconds until it is worth trying again. */
export type Refusal = { readonly resetSeconds: number };

export type Limiter = {
  /** Counts a request in its layers, and says so in its answer's headers; `auth` counts in the global layer, too. */
  request(edge: EdgeContext, limit: 'global' | 'auth', authorization: string | undefined): Promise<Refusal | undefined>;
  /** Counts so many tries of a GraphQL document in the auth layer. */
  tries(edge: EdgeContext, amount: number): Promise<Refusal | undefined>;
};

/** Without limits, everything passes. */
export const noLimits: Limiter = { request: async () => undefined, tries: async () => undefined };

export const createLimiter = ({ counter, layers, tenantOf }: LimitOptions): Limiter => ({
  request: async (edge, limit, authorization) => {
    const address = limitKey(edge.address);
    const verdicts = [await count(counter, layers.global, address)];
    if (limit === 'auth') verdicts.push(await count(counter, layers.auth, address));
    const tenant = layers.tenant === undefined ? undefined : await tenantOf(authorization);
    if (layers.tenant !== undefined && tenant !== undefined) verdicts.push(await count(counter, layers.tenant, tenant));
    return judge(edge, verdicts);
  },
  tries: async (edge, amount) =>
    amount === 0 ? undefined : judge(edge, [await count(counter, layers.auth, limitKey(edge.address), amount)]),
});

const judge = (edge: EdgeContext, verdicts: readonly Verdict[]): Refusal | undefined => {
  addLimitHeaders(edge.responseHeaders, verdicts);
  let resetSeconds = 0;
  for (const verdict of verdicts) if (!verdict.isAllowed) resetSeconds = Math.max(resetSeconds, verdict.resetSeconds);
  return resetSeconds === 0 ? undefined : { resetSeconds };
};

/** One pair of headers for all layers, whenever they were counted. */
const addLimitHeaders = (headers: string[], verdicts: readonly Verdict[]): void => {
  const added = limitHeaders(verdicts);
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push(...added);
    return;
  }
  headers[known + 1] = `${headers[known + 1]}, ${added[1]}`;
  headers[known + 3] = `${headers[known + 3]}, ${added[3]}`;
};
