import type { GatewayConfig } from '../config.ts';
import type { Count, Counter } from './counter.ts';

/** One of the specification's three layers. */
export type Layer = { readonly name: 'global' | 'auth' | 'tenant'; readonly max: number; readonly windowSeconds: number };

export type Layers = { readonly global: Layer; readonly auth: Layer; readonly tenant: Layer | undefined };

export const layersOf = (config: GatewayConfig): Layers => ({
  global: { name: 'global', max: config.SECURITY_RATE_LIMIT_MAX, windowSeconds: config.SECURITY_RATE_LIMIT_WINDOW_MINUTES * 60 },
  auth: { name: 'auth', max: config.SECURITY_RATE_LIMIT_AUTH_MAX, windowSeconds: config.SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES * 60 },
  tenant: config.SECURITY_RATE_LIMIT_PER_TENANT_ENABLED
    ? {
        name: 'tenant',
        max: config.SECURITY_RATE_LIMIT_PER_TENANT_MAX,
        windowSeconds: config.SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES * 60,
      }
    : undefined,
});

export type Verdict = { readonly layer: Layer; readonly isAllowed: boolean; readonly remaining: number; readonly resetSeconds: number };

/** Counts first and judges then: of any number of concurrent requests exactly `max` pass. */
export const count = (counter: Counter, layer: Layer, key: string, amount = 1): Verdict | Promise<Verdict> => {
  const counted = counter.increment(layer, key, amount);
  return counted instanceof Promise ? counted.then((late) => verdictOf(layer, late)) : verdictOf(layer, counted);
};

const verdictOf = (layer: Layer, { count: used, resetSeconds }: Count): Verdict => ({
  layer,
  isAllowed: used <= layer.max,
  remaining: Math.max(0, layer.max - used),
  resetSeconds,
});

/** Adds the headers of draft-ietf-httpapi-ratelimit-headers-10 for the layers that were counted: one pair for all, whenever they were. */
export const addLimitHeaders = (headers: string[], verdicts: readonly Verdict[]): void => {
  let policies = '';
  let standing = '';
  for (const { layer, remaining, resetSeconds } of verdicts) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${layer.name}";q=${layer.max};w=${layer.windowSeconds}`;
    standing += `${comma}"${layer.name}";r=${remaining};t=${resetSeconds}`;
  }
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push('ratelimit-policy', policies, 'ratelimit', standing);
    return;
  }
  headers[known + 1] += `, ${policies}`;
  headers[known + 3] += `, ${standing}`;
};
