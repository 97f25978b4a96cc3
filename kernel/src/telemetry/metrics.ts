import { collectDefaultMetrics, Registry } from 'prom-client';
import { createDurations } from './durations.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type AnsweredRequest = {
  readonly method: string;
  /** The pattern that matched, never a path; a request that matched none is counted under one name, whatever its path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
};

export type Metrics = { readonly registry: Registry; observeRequest(request: AnsweredRequest): void };

/** A registry of its own per process; when metrics are off nothing is counted. */
export const createMetrics = ({ service, enabled }: { readonly service: string; readonly enabled: boolean }): Metrics => {
  const registry = new Registry();
  if (!enabled) return { registry, observeRequest: () => undefined };
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const durations = createDurations('http_request_duration_seconds', 'Answered HTTP requests by route pattern');
  registry.registerMetric(durations.metric);
  return {
    registry,
    observeRequest: ({ method, route = 'unmatched', status, seconds }) =>
      durations.observe(METHODS.has(method) ? method : 'other', route, status, seconds),
  };
};
