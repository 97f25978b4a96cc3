import {
  allSettings,
  type Config,
  choice,
  type Environment,
  flag,
  integer,
  list,
  poolerRule,
  publicAddresses,
  readConfig,
  redisRule,
  secret,
  secrets,
  secretsIn,
  serviceConfig,
  text,
  url,
} from '@tessera/kernel/config';
import { openidClients } from './oauth/openid/settings.ts';
import { callbackRule, oauthProviders } from './sign-in/connections/settings.ts';

export const shape = {
  ...serviceConfig('IDENTITY'),
  SECURITY_FRONTEND_URL: url({ optional: true, about: 'Where links in mails lead; the hosted pages at APP_URL when left out' }),
  SECURITY_CORS_ORIGIN: list({ default: [], about: 'Origins from which browsers may use the session cookie' }),
  JWT_ACCESS_TOKEN_EXPIRATION_MINUTES: integer({ default: 15, min: 1, max: 1_440, about: 'Lifetime of access tokens' }),
  JWT_REFRESH_TOKEN_EXPIRATION_DAYS: integer({ default: 30, min: 1, max: 400, about: 'Lifetime of refresh tokens' }),
  TOKEN_BCRYPT_ROUNDS: integer({ default: 10, min: 4, max: 16, about: 'Cost of a password hash' }),
  AUTH_PASSWORD_SECRETS: secrets({
    optional: true,
    minLength: 32,
    about: 'Key the password hashes. INTERNAL_AUTH_SECRET when left out: name the old one here before you remove it there',
  }),
  AUTH_FACTOR_SECRETS: secrets({
    optional: true,
    minLength: 32,
    about:
      'Encrypt the secrets of authenticator apps. INTERNAL_AUTH_SECRET when left out: name the old one here before you remove it there',
  }),
  BREACHED_PASSWORDS_URL: url({
    optional: true,
    about: 'A range API with k-anonymity: <URL>/<five digits of the SHA-1>. Passwords that it knows are refused; when it is away, none',
  }),
  BREACHED_PASSWORDS_FILE: text({
    optional: true,
    about: 'The same from a local file: SHA-1 hashes in hexadecimal digits, one a line, in their order, each with `:<count>` or alone',
  }),
  AUTH_VERIFICATION_EXPIRATION_HOURS: integer({ default: 24, min: 1, max: 720, about: 'Lifetime of verification links' }),
  AUTH_PASSWORD_RESET_EXPIRATION_MINUTES: integer({ default: 30, min: 1, max: 1_440, about: 'Lifetime of reset links' }),
  RECOVERY_WAIT_HOURS: integer({
    default: 72,
    min: 1,
    max: 720,
    about: 'How long the mails of a recovery warn the owner before all second factors can be removed',
  }),
  EMAIL_CODE_ENABLED: flag({
    default: true,
    about: 'People may sign in by a code that is mailed to them, where their organization and the app allow it too',
  }),
  AUTH_LOCKOUT_ENABLED: flag({
    default: false,
    about: 'Refuses passwords from an address of a client that failed too often at one account; only a mail to the account tells',
  }),
  AUTH_MAX_FAILED_LOGIN_ATTEMPTS: integer({ default: 5, min: 1, about: 'With AUTH_LOCKOUT_ENABLED: the failures that lock' }),
  AUTH_LOCKOUT_DURATION_MINUTES: integer({ default: 15, min: 1, about: 'With AUTH_LOCKOUT_ENABLED: how long' }),
  EMAIL_PROVIDER: choice(['outbox', 'smtp'], {
    default: 'outbox',
    about: 'Mail goes to files in DATA_DIR/outbox, as JSON and as HTML, or out',
  }),
  SMTP_URL: secret({ optional: true, about: 'smtp:// or smtps:// URL, with EMAIL_PROVIDER=smtp' }),
  BRAND_NAME: text({ default: 'Tessera', about: 'The name of this installation in mails and on the hosted pages' }),
  BRAND_COLOR: text({
    default: '#3b5bdb',
    pattern: /^#[0-9a-fA-F]{6}$/,
    shape: '#rrggbb',
    about: 'The colour of buttons on hosted pages and in mails, where no tenant has one; their text is black or white',
  }),
  QUOTA_INVITATIONS_TO_ADDRESS: integer({
    default: 50,
    min: 1,
    about: 'Invitation mails that an address gets in a day from everybody together; more wait, in turns of those who sent them',
  }),
  EMAIL_FROM: text({ default: 'Tessera <no-reply@localhost>', about: 'Sender of all mail' }),
  STORAGE_PROVIDER: choice(['local', 's3'], { default: 'local', about: 'Where pictures are kept' }),
  S3_BUCKET: text({ optional: true, about: 'With STORAGE_PROVIDER=s3; credentials come from the AWS environment' }),
  S3_ENDPOINT: url({ optional: true, about: 'Of an S3-compatible store' }),
  S3_REGION: text({ default: 'us-east-1', about: 'With STORAGE_PROVIDER=s3' }),
  S3_FORCE_PATH_STYLE: flag({ default: true, about: 'The bucket is in the path, not in the host name' }),
  oauthProviders: oauthProviders(),
  openidClients: openidClients(),
  OAUTH_STATE_TTL_SECONDS: integer({ default: 600, min: 1, max: 3_600, about: 'How long a sign-in by provider or magic link may take' }),
  OAUTH_CODE_TTL_SECONDS: integer({
    default: 60,
    min: 1,
    max: 60,
    about: 'How long the one-time code of a sign-in by provider is good for; that of a command line, 300 seconds',
  }),
  PROJECT_OAUTH_EMAIL_ENTRY_URL: url({
    optional: true,
    about: 'Where people enter their address to sign in to an app; <SECURITY_FRONTEND_URL>/auth/project/email when left out',
  }),
  WEBHOOK_ALLOW_PRIVATE: flag({
    default: false,
    about: 'Requests to addresses that tenants register (webhooks, keys of apps, logout notices) may go to private networks, and by http',
  }),
  RETENTION_DELETED_USERS_DAYS: integer({
    default: 30,
    min: 1,
    about: 'After this long a soft-deleted user is removed and the address is free again',
  }),
};

export type IdentityConfig = Config<typeof shape>;

/** The only reader of the environment. */
export function readIdentityConfig(environment: Environment): IdentityConfig {
  return readConfig(environment, shape, {
    settings: allSettings,
    known: publicAddresses('IDENTITY'),
    rules: [
      redisRule,
      poolerRule,
      callbackRule,
      ({ EMAIL_PROVIDER, SMTP_URL }) =>
        EMAIL_PROVIDER === 'smtp' && SMTP_URL === undefined ? 'SMTP_URL is missing (EMAIL_PROVIDER is smtp)' : undefined,
      ({ BREACHED_PASSWORDS_URL, BREACHED_PASSWORDS_FILE }) =>
        BREACHED_PASSWORDS_URL !== undefined && BREACHED_PASSWORDS_FILE !== undefined
          ? 'BREACHED_PASSWORDS_URL and BREACHED_PASSWORDS_FILE exclude each other'
          : undefined,
      ({ STORAGE_PROVIDER, S3_BUCKET }) =>
        STORAGE_PROVIDER === 's3' && S3_BUCKET === undefined ? 'S3_BUCKET is missing (STORAGE_PROVIDER is s3)' : undefined,
    ],
  });
}

/** The secrets behind the keys of password hashes, the one for new hashes first. */
export function passwordSecretsOf(
  config: Pick<IdentityConfig, 'AUTH_PASSWORD_SECRETS' | 'INTERNAL_AUTH_SECRET'>,
): readonly [string, ...string[]] {
  return secretsIn(config.AUTH_PASSWORD_SECRETS ?? config.INTERNAL_AUTH_SECRET);
}
