import {
  type Config,
  type Environment,
  flag,
  integer,
  publicAddresses,
  readConfig,
  secret,
  serviceConfig,
  text,
} from '@tessera/kernel/config';
import { Cron } from 'croner';

const shape = {
  ...serviceConfig('KEYS'),
  JWT_ACCESS_TOKEN_EXPIRATION_MINUTES: integer({ default: 15, min: 1, max: 1440 }),
  JWT_REFRESH_TOKEN_EXPIRATION_DAYS: integer({ default: 30, min: 1, max: 3650 }),
  JWT_JWKS_MAX_AGE_SECONDS: integer({ default: 3600, min: 1, max: 86_400 }),
  JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED: flag({ default: false }),
  JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE: text({ default: '0 0 1 * *', about: 'Cron, in UTC' }),
  KEYS_ENCRYPTION_KEY: secret({ about: '32 bytes in base64; several, comma-separated: the first encrypts, all decrypt' }),
};

const keyBytes = 32;
const keysOf = (list: string): readonly Buffer[] => list.split(',').map((key) => Buffer.from(key.trim(), 'base64'));

const scheduleFault = (pattern: string): string | undefined => {
  try {
    new Cron(pattern, { paused: true, timezone: 'UTC' });
    return undefined;
  } catch {
    return 'JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE must be a cron pattern';
  }
};

export type KeysConfig = Config<typeof shape>;

export function readKeysConfig(environment: Environment): KeysConfig {
  return readConfig(environment, shape, {
    prefixes: ['KEYS_', 'JWT_', 'JOBS_'],
    known: publicAddresses('KEYS'),
    rules: [
      ({ KEYS_ENCRYPTION_KEY }) =>
        keysOf(KEYS_ENCRYPTION_KEY).every(({ length }) => length === keyBytes)
          ? undefined
          : `KEYS_ENCRYPTION_KEY must be ${keyBytes} bytes in base64, or several of them separated by commas`,
      ({ JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE }) => scheduleFault(JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE),
    ],
  });
}

export const encryptionKeysOf = ({ KEYS_ENCRYPTION_KEY }: Pick<KeysConfig, 'KEYS_ENCRYPTION_KEY'>) => keysOf(KEYS_ENCRYPTION_KEY);

export const lifetimesOf = (config: KeysConfig) => ({
  accessTokenSeconds: config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES * 60,
  refreshTokenSeconds: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS * 86_400,
  jwksMaxAgeSeconds: config.JWT_JWKS_MAX_AGE_SECONDS,
});

export const keysConfigShape = shape;
