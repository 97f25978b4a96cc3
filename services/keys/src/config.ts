import {
  allSettings,
  type Config,
  type Environment,
  flag,
  integer,
  poolerRule,
  publicAddresses,
  type Reader,
  readConfig,
  secret,
  serviceConfig,
  text,
} from '@tessera/kernel/config';
import { Cron } from 'croner';

const keyBytes = 32;

/** Several keys, comma-separated: the first encrypts, all decrypt. */
const encryptionKeys: Reader<readonly Buffer[]> = refine(
  secret({ about: `${keyBytes} bytes in base64; several, comma-separated: the first encrypts, all decrypt` }),
  (list) => {
    const keys = list.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
    return keys.every(({ length }) => length === keyBytes) ? keys : undefined;
  },
  `must be ${keyBytes} bytes in base64, or several such keys separated by commas`,
);

const schedule: Reader<string> = refine(
  text({ default: '0 0 1 * *', about: 'Cron, in UTC' }),
  (pattern) => (isCron(pattern) ? pattern : undefined),
  'must be a cron pattern',
);

export const configShape = {
  ...serviceConfig('KEYS'),
  JWT_ACCESS_TOKEN_EXPIRATION_MINUTES: integer({ default: 15, min: 1, max: 1440, about: 'Lifetime of access tokens' }),
  JWT_REFRESH_TOKEN_EXPIRATION_DAYS: integer({ default: 30, min: 1, max: 3650, about: 'Lifetime of refresh tokens' }),
  JWT_JWKS_MAX_AGE_SECONDS: integer({ default: 3600, min: 1, max: 86_400, about: 'max-age of JWKS' }),
  JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED: flag({ default: false, about: 'Rotate the system signing key by schedule' }),
  JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE: schedule,
  KEYS_ENCRYPTION_KEY: encryptionKeys,
  QUOTA_API_KEYS: integer({ default: 0, min: 0, about: 'API keys that an account or organization may have; 0 is no limit' }),
};

export type KeysConfig = Config<typeof configShape>;

export function readKeysConfig(environment: Environment): KeysConfig {
  return readConfig(environment, configShape, { settings: allSettings, known: publicAddresses('KEYS'), rules: [poolerRule] });
}

export function lifetimesOf(config: KeysConfig) {
  return {
    accessTokenSeconds: config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES * 60,
    refreshTokenSeconds: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS * 86_400,
    jwksMaxAgeSeconds: config.JWT_JWKS_MAX_AGE_SECONDS,
  };
}

/**
 * A reader whose value is parsed further. The fault message never quotes the value, which may be
 * secret.
 */
function refine<From, To>(reader: Reader<From>, parse: (value: From) => To | undefined, fault: string): Reader<To> {
  return {
    entries: reader.entries,
    read(environment, key) {
      const reading = reader.read(environment, key);
      if ('faults' in reading) return reading;
      const value = parse(reading.value);
      return value === undefined ? { faults: [`${key} ${fault}`] } : { value };
    },
  };
}

function isCron(pattern: string): boolean {
  try {
    new Cron(pattern, { paused: true, timezone: 'UTC' });
    return true;
  } catch {
    return false;
  }
}
