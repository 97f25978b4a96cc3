import { type Config, type Environment, integer, publicAddresses, readConfig, serviceConfig } from '@tessera/kernel/config';

export const shape = {
  ...serviceConfig('TENANCY'),
  INVITATION_EXPIRATION_DAYS: integer({ default: 7, min: 1, max: 365, about: 'Lifetime of invitations' }),
  QUOTA_MEMBERS: integer({ default: 0, min: 0, about: 'Members and open invitations that an organization may have; 0 is no limit' }),
  QUOTA_PROJECTS: integer({ default: 0, min: 0, about: 'Projects that an account or organization may have; 0 is no limit' }),
};

export type TenancyConfig = Config<typeof shape>;

/** Only this file reads the environment. */
export function readTenancyConfig(environment: Environment): TenancyConfig {
  return readConfig(environment, shape, {
    prefixes: ['TENANCY_', 'INVITATION_', 'QUOTA_MEMBERS', 'QUOTA_PROJECTS'],
    known: publicAddresses('TENANCY'),
  });
}
