import { Worker } from 'node:worker_threads';
import type { Notices } from '@tessera/kernel/notices';
import { fetchWhole, type UpstreamRequest } from '../proxy/fetch.ts';
import { type ServiceName, serviceNames, tryReplicas, type Upstreams } from '../proxy/upstream.ts';
import type { Composition, SubgraphSdl } from './federation.ts';
import type { Graph } from './graph.ts';
import { fingerprint, sourcesOf, withSources } from './sources.ts';

type Log = { info(details: object, message: string): void; error(details: object, message: string): void };

export type RecomposeOptions = {
  readonly graph: Graph;
  readonly upstreams: Upstreams;
  readonly credential: (service: ServiceName) => string;
  readonly pollSeconds: number;
  readonly notices?: Pick<Notices, 'subscribe'> | undefined;
  readonly logger: Log;
};

export type Recomposer = {
  /** Fetches the schema of every service, and serves their graph if it has changed. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Follows the schemas of the services. The graph stays as it is while the schemas do not compose or
 * a service is down. Each set of schemas that does not compose is logged once.
 */
export function createRecomposer({ graph, upstreams, credential, pollSeconds, notices, logger }: RecomposeOptions): Recomposer {
  const schemas = new Map<ServiceName, string>();
  let handled = stateOf(sourcesOf(graph.supergraphSdl));
  let refreshing: Promise<void> | undefined;

  const refreshNow = async (): Promise<void> => {
    const found = await Promise.all(serviceNames.map(async (name) => [name, await fetchSdl(upstreams, name, credential)] as const));
    for (const [name, sdl] of found) if (sdl !== undefined) schemas.set(name, sdl);
    if (schemas.size < serviceNames.length) return;
    const subgraphs = serviceNames.map((name): SubgraphSdl => ({ name, sdl: schemas.get(name) ?? '' }));
    const state = stateOf(new Map(subgraphs.map(({ name, sdl }) => [name, fingerprint(sdl)])));
    if (state === handled) return;
    handled = state;
    await serve(graph, subgraphs, logger);
  };
  const refresh = (): Promise<void> => {
    refreshing ??= refreshNow()
      .catch((error: unknown) => logger.error({ err: error }, 'the graph could not be composed anew: the last good one stays'))
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
  const timer = setInterval(refresh, pollSeconds * 1_000);
  timer.unref();
  // A service with a changed schema announces it over NATS; the gateway has no database for
  // LISTEN/NOTIFY.
  const unsubscribe = notices?.subscribe('schema-changed', () => void refresh());
  return {
    refresh,
    stop: async () => {
      clearInterval(timer);
      unsubscribe?.();
      await refreshing;
    },
  };
}

function stateOf(sources: ReadonlyMap<string, string>): string {
  return [...sources]
    .map(([name, hash]) => `${name} ${hash}`)
    .sort()
    .join('\n');
}

async function serve(graph: Graph, subgraphs: readonly SubgraphSdl[], logger: Log): Promise<void> {
  const composition = await composeInWorker(subgraphs);
  if ('faults' in composition) {
    logger.error({ faults: composition.faults }, 'the schemas do not compose: the last good graph stays');
    return;
  }
  graph.update(withSources(composition.supergraphSdl, subgraphs));
  logger.info({}, 'a changed graph is served');
}

function composeInWorker(subgraphs: readonly SubgraphSdl[]): Promise<Composition> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./compose-worker.ts', import.meta.url), { workerData: subgraphs });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the composition ended with ${code}`)));
  });
}

const schemaQuery = JSON.stringify({ query: '{ _service { sdl } }' });
function schemaRequest(credential: string): UpstreamRequest {
  return {
    path: '/graphql',
    method: 'POST',
    headers: ['content-type', 'application/json', 'x-tessera-service', credential],
    body: schemaQuery,
    timeoutMs: 5_000,
  };
}

async function fetchSdl(
  upstreams: Upstreams,
  name: ServiceName,
  credential: (service: ServiceName) => string,
): Promise<string | undefined> {
  try {
    const { status, body } = await tryReplicas(upstreams[name], 'if-lost', ({ control }) =>
      fetchWhole(control, schemaRequest(credential(name))),
    );
    return status === 200 ? sdlOf(JSON.parse(body.toString('utf8'))) : undefined;
  } catch {
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function sdlOf(response: unknown): string | undefined {
  const sdl = property(property(property(response, 'data'), '_service'), 'sdl');
  return typeof sdl === 'string' ? sdl : undefined;
}
