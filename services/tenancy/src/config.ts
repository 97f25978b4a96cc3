import {
  allSettings,
  type Config,
  type Environment,
  flag,
  integer,
  poolerRule,
  publicAddresses,
  readConfig,
  secrets,
  serviceConfig,
  text,
} from '@tessera/kernel/config';

export const shape = {
  ...serviceConfig('TENANCY'),
  INVITATION_EXPIRATION_DAYS: integer({ default: 7, min: 1, max: 365, about: 'Lifetime of invitations' }),
  QUOTA_MEMBERS: integer({ default: 0, min: 0, about: 'Members and open invitations that an organization may have; 0 is no limit' }),
  QUOTA_PROJECTS: integer({ default: 0, min: 0, about: 'Projects that an account or organization may have; 0 is no limit' }),
  QUOTA_INVITATIONS: integer({
    default: 200,
    min: 0,
    about: 'Invitation mails that a person may cause in a day, in all organizations together; 0 is no limit',
  }),
  QUOTA_INVITATIONS_PER_ADDRESS: integer({
    default: 5,
    min: 0,
    about: 'Invitation mails that a person may cause in a day to one address, those that are sent again included; 0 is no limit',
  }),
  DOMAINS_DNS_SERVERS: text({
    optional: true,
    pattern: /^(?:[\d.]+|\[[\da-f:]+\])(?::\d+)?(?:\s*,\s*(?:[\d.]+|\[[\da-f:]+\])(?::\d+)?)*$/i,
    shape: 'IP addresses with their ports, by commas, like 192.0.2.53:53',
    about: 'The DNS servers that are asked for the records of domains; those of the system when left out',
  }),
  WEBHOOK_SECRETS: secrets({
    optional: true,
    minLength: 32,
    about: 'Encrypt the secrets of webhooks. INTERNAL_AUTH_SECRET when left out: name the old one here before you remove it there',
  }),
  WEBHOOK_ALLOW_PRIVATE: flag({
    default: false,
    about: 'Requests to addresses that tenants register (webhooks, keys of apps, logout notices) may go to private networks, and by http',
  }),
  WEBHOOK_RETENTION_DAYS: integer({
    default: 30,
    min: 4,
    max: 400,
    about: 'How long deliveries of webhooks are kept, with their attempts',
  }),
};

export type TenancyConfig = Config<typeof shape>;

/** Only this file reads the environment. */
export function readTenancyConfig(environment: Environment): TenancyConfig {
  return readConfig(environment, shape, {
    settings: allSettings,
    known: publicAddresses('TENANCY'),
    rules: [poolerRule],
  });
}
