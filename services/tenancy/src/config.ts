import { type Config, type Environment, integer, publicAddresses, readConfig, serviceConfig } from '@tessera/kernel/config';

export const shape = {
  ...serviceConfig('TENANCY'),
  INVITATION_EXPIRATION_DAYS: integer({ default: 7, min: 1, max: 365, about: 'Lifetime of invitations' }),
};

export type TenancyConfig = Config<typeof shape>;

/** Only this file reads the environment. */
export function readTenancyConfig(environment: Environment): TenancyConfig {
  return readConfig(environment, shape, { prefixes: ['TENANCY_', 'INVITATION_'], known: publicAddresses('TENANCY') });
}
