import {
  allSettings,
  type Config,
  type Environment,
  integer,
  poolerRule,
  publicAddresses,
  readConfig,
  serviceConfig,
} from '@tessera/kernel/config';

/** Also the source of the configuration reference. */
export const shape = {
  ...serviceConfig('RBAC'),
  RBAC_CACHE_ENTRIES: integer({ default: 50_000, min: 100, about: 'Compiled sets of rights kept in memory' }),
  RBAC_CREDENTIAL_MAX_CHECKS: integer({
    default: 600_000,
    min: 10_000,
    about: 'Checks over gRPC of one API key or machine app in a minute, in each process',
  }),
};

export type RbacConfig = Config<typeof shape>;

/** The only reader of the environment. */
export function readRbacConfig(environment: Environment): RbacConfig {
  return readConfig(environment, shape, { settings: allSettings, known: publicAddresses('RBAC'), rules: [poolerRule] });
}
