import { createLogger } from '@tessera/kernel/telemetry';
import { createGateway } from '../app.ts';
import { readGatewayConfig } from '../config.ts';
import { compose } from '../graphql/federation.ts';
import { allServicesAt, startService } from './service.ts';
import { sdlOf, standIns } from './subgraphs.ts';

export const testSecret = 'a-secret-of-the-tests-only-0123456789';

export const environment = {
  NODE_ENV: 'test',
  APP_URL: 'http://tessera.test',
  INTERNAL_AUTH_SECRET: testSecret,
  IDENTITY_GRPC_URL: '127.0.0.1:1',
  TENANCY_GRPC_URL: '127.0.0.1:1',
  RBAC_GRPC_URL: '127.0.0.1:1',
  KEYS_GRPC_URL: '127.0.0.1:1',
  ...allServicesAt('http://127.0.0.1:1'),
};

/** Starts a gateway on a free port until the test ends. */
export async function startGateway(
  cleanup: AsyncDisposableStack,
  overrides: Readonly<Record<string, string>>,
  sdl = standInSupergraph(),
  writeAccess?: (line: string) => void,
): Promise<string> {
  const logger = createLogger({ service: 'gateway', level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const app = await createGateway(readGatewayConfig({ ...environment, ...overrides }), sdl, logger, writeAccess);
  cleanup.defer(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Starts a gateway in front of one stand-in for all services. Returns the gateway's address. */
export async function startProxy(
  cleanup: AsyncDisposableStack,
  overrides: Readonly<Record<string, string>> = {},
  routes?: Parameters<typeof startService>[1],
): Promise<string> {
  const { url } = await startService(cleanup, routes);
  return startGateway(cleanup, { ...allServicesAt(url), ...overrides });
}

let composed: string | undefined;

/** The supergraph of the stand-ins. It is composed once. */
export function standInSupergraph(): string {
  if (composed !== undefined) return composed;
  const composition = compose(standIns.map((subgraph) => ({ name: subgraph.name, sdl: sdlOf(subgraph) })));
  if ('faults' in composition) throw new Error(composition.faults.join('; '));
  composed = composition.supergraphSdl;
  return composed;
}
