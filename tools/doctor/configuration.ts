import { ConfigError, type Environment } from '@tessera/kernel/config';
import { about, type Finding } from '../../packages/cli/src/doctor/finding.ts';
import { type GatewayConfig, readGatewayConfig } from '../../services/gateway/src/config.ts';
import { type IdentityConfig, readIdentityConfig } from '../../services/identity/src/config.ts';
import { type KeysConfig, readKeysConfig } from '../../services/keys/src/config.ts';
import { type RbacConfig, readRbacConfig } from '../../services/rbac/src/config.ts';
import { readTenancyConfig, type TenancyConfig } from '../../services/tenancy/src/config.ts';
import { type Service, services, variablePrefix } from '../services.ts';

export type Configuration =
  | { readonly service: 'identity'; readonly config: IdentityConfig }
  | { readonly service: 'tenancy'; readonly config: TenancyConfig }
  | { readonly service: 'rbac'; readonly config: RbacConfig }
  | { readonly service: 'keys'; readonly config: KeysConfig }
  | { readonly service: 'gateway'; readonly config: GatewayConfig };

const readers = {
  identity: (environment: Environment) => ({ service: 'identity', config: readIdentityConfig(environment) }) as const,
  tenancy: (environment: Environment) => ({ service: 'tenancy', config: readTenancyConfig(environment) }) as const,
  rbac: (environment: Environment) => ({ service: 'rbac', config: readRbacConfig(environment) }) as const,
  keys: (environment: Environment) => ({ service: 'keys', config: readKeysConfig(environment) }) as const,
  gateway: (environment: Environment) => ({ service: 'gateway', config: readGatewayConfig(environment) }) as const,
};

/** Where a service listens differs between processes that share the rest of their environment. */
const ownAddresses = { HTTP_LISTEN: '0.0.0.0:4000', GRPC_LISTEN: '0.0.0.0:5000' };

/** The services that an environment is for, by what only they need. */
export function servicesIn(environment: Environment): readonly Service[] {
  // Services that listen for gRPC may know the gateway's upstreams too.
  const isForGateway = Boolean(environment['IDENTITY_HTTP_URL']) && !environment['GRPC_LISTEN'];
  return services.filter((service) => (service === 'gateway' ? isForGateway : environment[`${variablePrefix(service)}_DATABASE_URL`]));
}

/** Reads the configuration as the service does; every fault is an error. */
export function readConfiguration(service: Service, environment: Environment): { readonly read?: Configuration; findings: Finding[] } {
  const { ok, error } = about('configuration', service);
  try {
    const read = readers[service]({ ...ownAddresses, ...environment });
    return { read, findings: [ok('every variable is understood')] };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { findings: thrown.faults.map((fault) => error(fault)) };
  }
}
