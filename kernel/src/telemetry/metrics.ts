import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Label values come from closed lists (route patterns, methods, outcomes), never from a request: each new one is a new series. */
export type Labels<Name extends string> = Readonly<Record<Name, string | number>>;
type Definition<Name extends string> = { readonly name: string; readonly help: string; readonly labels?: readonly Name[] };

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type Metrics = ReturnType<typeof createMetrics>;

/** A registry of its own per process; when metrics are off nothing is counted and the helpers cost a call. */
export const createMetrics = ({ service, enabled }: { readonly service: string; readonly enabled: boolean }) => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (enabled) collectDefaultMetrics({ register: registry });

  const counter = <Name extends string = never>({
    name,
    help,
    labels = [],
  }: Definition<Name>): ((values: Labels<Name>, amount?: number) => void) => {
    if (!enabled) return () => undefined;
    const metric = new Counter({ name, help, labelNames: labels, registers: [registry] });
    return (values, amount = 1) => metric.inc(values, amount);
  };

  const histogram = <Name extends string = never>({
    name,
    help,
    labels = [],
  }: Definition<Name>): ((values: Labels<Name>, seconds: number) => void) => {
    if (!enabled) return () => undefined;
    const metric = new Histogram({ name, help, labelNames: labels, buckets: SECONDS, registers: [registry] });
    // Finding a series by its labels costs more than observing it; labels come from closed lists, so they may be kept.
    const series = new Map<string, Histogram.Internal<Name>>();
    return (values, seconds) => {
      const key = labels.map((label) => values[label]).join('\n');
      let one = series.get(key);
      if (one === undefined) {
        one = metric.labels(values);
        series.set(key, one);
      }
      one.observe(seconds);
    };
  };

  const requests = histogram({
    name: 'http_request_duration_seconds',
    help: 'Answered HTTP requests by route pattern',
    labels: ['method', 'route', 'status'],
  });

  return {
    registry,
    counter,
    histogram,
    /** `route` is the pattern that matched; a request that matched none is counted under one name, whatever its path. */
    observeRequest: (request: { method: string; route: string | undefined; status: number; seconds: number }): void =>
      requests(
        { method: METHODS.has(request.method) ? request.method : 'other', route: request.route ?? 'unmatched', status: request.status },
        request.seconds,
      ),
  };
};
