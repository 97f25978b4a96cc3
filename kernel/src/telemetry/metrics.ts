import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The dashboard and the alerts in deploy/observability read quantiles between these. */
const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** There are hundreds of operations. */
const fewBucketsSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** prom-client's 10 ms is most of an idle service's CPU. The dashboard subtracts the interval. */
const LOOP_WATCHED_EVERY_MS = 100;

export type AnsweredRequest = {
  readonly method: string;
  /** The pattern that matched, never a path. All requests without one are counted together. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
};

export type AnsweredCall = { readonly caller: string; readonly method: string; readonly status: string; readonly seconds: number };

/** Label values come from closed lists, never from a request: each new one is a new series. */
type Watched = { readonly type: 'counter' | 'gauge'; readonly name: string; readonly help: string; readonly label: string };
type Readings = Readonly<Record<string, number>>;

export type Metrics = {
  readonly registry: Registry;
  /** False: nothing is counted, so that a caller need not measure. */
  readonly enabled: boolean;
  observeRequest(request: AnsweredRequest): void;
  observeCall(call: AnsweredCall): void;
  /** `outcome`: ok, or the code of the refusal. */
  countOperation(operation: string, outcome: string, seconds?: number): void;
  /** Exports values that are counted elsewhere, read at each scrape, by one label. */
  watch(watched: Watched, read: () => Readings | Promise<Readings>): void;
};

function nothing(): void {}

/** A registry of its own per process; when metrics are off nothing is counted. */
export function createMetrics({ service, enabled }: { readonly service: string; readonly enabled: boolean }): Metrics {
  const registry = new Registry();
  if (!enabled) return { registry, enabled, observeRequest: nothing, observeCall: nothing, countOperation: nothing, watch: nothing };
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_WATCHED_EVERY_MS });
  const histogram = (name: string, help: string, labelNames: string[], buckets = durationBucketsSeconds) =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  const requests = histogram('http_request_duration_seconds', 'Answered HTTP requests by route pattern', ['method', 'route', 'status']);
  const calls = histogram('grpc_server_duration_seconds', 'Answered gRPC calls by caller and method', ['caller', 'method', 'status']);
  const durations = histogram('operation_duration_seconds', 'Operations over any transport', ['operation'], fewBucketsSeconds);
  const counted = { name: 'operations_total', help: 'Operations over any transport: ok, or the code of the refusal' };
  const operations = new Counter({ ...counted, labelNames: ['operation', 'outcome'], registers: [registry] });
  return {
    registry,
    enabled,
    countOperation: (operation, outcome, seconds) => {
      operations.inc({ operation, outcome });
      if (seconds !== undefined) durations.observe({ operation }, seconds);
    },
    observeRequest: ({ method, route = 'unmatched', status, seconds }) =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    observeCall: ({ seconds, ...labels }) => calls.observe(labels, seconds),
    watch: (watched, read) => watch(registry, watched, read),
  };
}

function watch(registry: Registry, { type, name, help, label }: Watched, read: () => Readings | Promise<Readings>): void {
  const collect = async (): Promise<void> => {
    try {
      for (const [value, reading] of Object.entries(await read())) {
        metric.remove(value);
        metric.inc({ [label]: value }, reading);
      }
    } catch {
      // The store behind it is away: /ready says so.
    }
  };
  const options = { name, help, labelNames: [label], registers: [registry], collect };
  const metric = type === 'gauge' ? new Gauge(options) : new Counter(options);
}
