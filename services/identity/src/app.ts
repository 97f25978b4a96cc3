/** Composes the service. Only this file imports every room. */
import { join } from 'node:path';
import { failures } from '@tessera/kernel/errors';
import { createBatcher, implement } from '@tessera/kernel/grpc';
import { createGuardedFetch } from '@tessera/kernel/guard';
import { openRequestQuota } from '@tessera/kernel/quota';
import { createRevocationSource } from '@tessera/kernel/tokens';
import type { SignRequest, SignResponse } from '@tessera/proto/types/keys.v1';
import { readSdl } from '@tessera/server/graphql';
import { type Kernel, type RunningService, type ServiceParts, type Surroundings, startService } from '@tessera/server/lifecycle';
import { createOauthParts } from './compose.ts';
import { type IdentityConfig, passwordSecretsOf } from './config.ts';
import type { IdentityDeps } from './deps.ts';
import { withSharedAccounts } from './ground/peers/accounts.ts';
import { createChecks } from './ground/peers/checks.ts';
import { deriveKeys, deriveToken } from './ground/tokens/opaque-token.ts';
import { createInvitationTokens } from './mail/invitation-tokens.ts';
import type { MailTransport } from './mail/mail.ts';
import { createOutboxTransport } from './mail/outbox-transport.ts';
import { createSmtpTransport } from './mail/smtp-transport.ts';
import { watchIdentity } from './metrics.ts';
import { startBackChannel } from './oauth/openid/back-channel.ts';
import { requireIssuer } from './oauth/openid/issuer.ts';
import { platformClientsOf } from './oauth/openid/platform-clients.ts';
import { createProviders } from './oauth/openid/providers.ts';
import { serveOpenid } from './oauth/openid/routes.ts';
import { operations } from './operations/index.ts';
import { errors } from './people/errors.ts';
import { createMailer } from './people/mailer.ts';
import { openBreachedPasswords } from './people/passwords/breached.ts';
import { startPasswordHasher } from './people/passwords/password-hasher.ts';
import { createLocalPictureStore, createS3PictureStore, type PictureStore } from './people/pictures/picture-store.ts';
import { createMethodsReader } from './people/storage/authentication-methods.ts';
import { countDisputedAddresses } from './people/storage/proven-addresses.ts';
import { startRetention } from './retention.ts';
import { serveOauth } from './routes.ts';
import { createAddressCodes } from './sign-in/address-codes.ts';
import { createFactorSecrets } from './sign-in/factors/secrets.ts';
import { startRecoveryMails } from './sign-in/jobs/recovery-mails.ts';
import { startResealing } from './sign-in/jobs/reseal-factors.ts';
import { createRefusalPace } from './sign-in/refusal-pace.ts';
import { createRevoker } from './sign-in/revoker.ts';
import { createSessionTokens } from './sign-in/session-tokens.ts';
import { createEventHandlers } from './subscriptions.ts';
import { entities, types } from './transport/graphql.ts';
import { identityService } from './transport/grpc/identity.ts';
import { servePictures } from './transport/protocol/picture-route.ts';

export const graphql = { sdl: readSdl(new URL('../', import.meta.url)), types, entities };
export { operations };

const minuteMs = 60_000;
type Definition = Parameters<typeof startService<IdentityDeps>>[1];

/** Starts the service. It has no pivot tables. */
export function startIdentity(config: IdentityConfig, surroundings: Surroundings = {}): Promise<RunningService> {
  const definition: Definition = {
    name: 'identity',
    operations,
    tokenSources: ({ database, clock }) => ({ revocations: revocationSource(database, clock) }),
    compose: (kernel) => compose(config, kernel),
  };
  return startService(config, definition, surroundings);
}

function revocationSource(database: Kernel['database'], clock: Kernel['clock']) {
  return createRevocationSource({ service: 'identity', database, clock, transactionColumn: 'transaction_id' });
}

async function compose(config: IdentityConfig, kernel: Kernel): Promise<ServiceParts<IdentityDeps>> {
  const { database, peers, logger, relay, clock } = kernel;
  const accessTokenSeconds = config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES * 60;
  const frontendUrl = config.SECURITY_FRONTEND_URL ?? config.APP_URL;
  const settings = {
    productName: config.BRAND_NAME,
    appUrl: config.APP_URL,
    frontendUrl,
    cookieOrigins: [...new Set([config.APP_URL, frontendUrl, ...config.SECURITY_CORS_ORIGIN].map((url) => new URL(url).origin))],
    allowPrivateAddresses: config.WEBHOOK_ALLOW_PRIVATE,
    recoveryWaitHours: config.RECOVERY_WAIT_HOURS,
    verificationMs: config.AUTH_VERIFICATION_EXPIRATION_HOURS * 60 * minuteMs,
    lockout: config.AUTH_LOCKOUT_ENABLED
      ? { mostFailures: config.AUTH_MAX_FAILED_LOGIN_ATTEMPTS, seconds: config.AUTH_LOCKOUT_DURATION_MINUTES * 60 }
      : undefined,
  };
  const breachedPasswords = await openBreachedPasswords({
    url: config.BREACHED_PASSWORDS_URL,
    file: config.BREACHED_PASSWORDS_FILE,
    logger,
  });
  const hasher = await startPasswordHasher({
    rounds: config.TOKEN_BCRYPT_ROUNDS,
    secrets: passwordSecretsOf(config),
    unavailable: () => failures.unavailable('identity'),
    busy: (seconds) => errors.signInBusy({ params: { seconds } }),
    logger,
  });
  watchIdentity(kernel.metrics, { database, hasher });
  const pictures = pictureStore(config);
  const invitationTokens = createInvitationTokens(config.INTERNAL_AUTH_SECRET);
  const mailer = createMailer({
    database,
    invitationTokens,
    mostInvitationsOfDay: config.QUOTA_INVITATIONS_TO_ADDRESS,
    transport: mailTransport(config, logger),
    secret: config.INTERNAL_AUTH_SECRET,
    frontendUrl,
    brand: { name: config.BRAND_NAME, color: config.BRAND_COLOR },
    lifetimeMs: { 'verify-email': settings.verificationMs, 'reset-password': config.AUTH_PASSWORD_RESET_EXPIRATION_MINUTES * minuteMs },
    clock,
    logger,
  });
  const sign = createBatcher<SignRequest, SignResponse>({
    maxSize: 100,
    run: async (requests) => (await peers.keys.signMany({ requests })).responses,
  });
  const refreshKeys = deriveKeys(config.INTERNAL_AUTH_SECRET, 'refresh-token');
  const revoker = createRevoker({ database, accessTokenSeconds, announce: kernel.revoke });
  const oauth = createOauthParts(config, kernel, sign);
  const guardedFetch = createGuardedFetch({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE });
  const openid = createProviders({
    keys: peers.keys,
    fetch: (url, options) => guardedFetch(typeof url === 'object' && 'url' in url ? url.url : url, plainOptions(options)),
    lifetimes: { accessTokenSeconds, refreshTokenSeconds: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS * 86_400 },
  });
  kernel.notices.subscribe('keys-rotated', ({ issuer }) => openid.forget(issuer));
  const deps: IdentityDeps = {
    settings,
    database,
    methodsOf: createMethodsReader(database),
    hasher,
    refusalPace: createRefusalPace(config.TOKEN_BCRYPT_ROUNDS),
    breachedPasswords,
    factorSecrets: createFactorSecrets(deriveKeys(config.AUTH_FACTOR_SECRETS ?? config.INTERNAL_AUTH_SECRET, 'second-factor')),
    invitationTokens,
    addressCodes: createAddressCodes(deriveKeys(config.INTERNAL_AUTH_SECRET, 'address-code')),
    sessions: createSessionTokens({
      sign,
      appUrl: config.APP_URL,
      accessTokenSeconds,
      refreshTokenDays: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS,
    }),
    successorsOf: (refreshToken) => [
      deriveToken(refreshKeys[0], refreshToken),
      ...refreshKeys.slice(1).map((key) => deriveToken(key, refreshToken)),
    ],
    revoker,
    checks: createChecks(),
    mailer,
    pictures,
    oauth: oauth.parts,
    platformClients: platformClientsOf(config.openidClients),
    openidProviderOf: (url) => openid.of(requireIssuer(url, config.APP_URL), deps),
    authorizer: kernel.authorizer,
    tenancy: withSharedAccounts(peers.tenancy),
    roles: peers.roles,
    tags: peers.tags,
    keys: peers.keys,
  };
  mailer.start();
  const disputed = await countDisputedAddresses(database);
  if (disputed > 0)
    logger.warn({ addresses: disputed }, 'several people have proven one address: docs/operating.md, "Addresses of two people"');
  const requests = openRequestQuota(config, kernel);
  return {
    deps,
    authorizer: requests.limit(kernel.authorizer),
    graphql,
    eventHandlers: createEventHandlers({ ...deps, clock }),
    grpc: [
      identityService({ ...deps, relay, clock }),
      implement('revocation.v1.Revocations', { list: revocationSource(database, clock).list }),
    ],
    routes: (app) => {
      servePictures(app, pictures);
      serveOauth(app, deps, clock);
      serveOpenid(app, openid, deps, clock);
    },
    jobs: [
      ...startRetention({ db: database, logger, pictures, clock, deletedUsersDays: config.RETENTION_DELETED_USERS_DAYS }),
      startBackChannel({ providers: openid, deps, logger, clock }),
      startRecoveryMails({ deps, logger, clock }),
      startResealing({ database, factorSecrets: deps.factorSecrets, logger }),
    ],
    degrading: { cache: oauth.isHealthy },
    stop: async () => {
      requests.close();
      await guardedFetch[Symbol.asyncDispose]();
      await oauth.stop();
      await mailer.stop();
      await hasher.stop();
      await breachedPasswords.stop();
    },
  };
}

function mailTransport(config: IdentityConfig, logger: Kernel['logger']): MailTransport {
  return config.EMAIL_PROVIDER === 'smtp' && config.SMTP_URL !== undefined
    ? createSmtpTransport(config.SMTP_URL, config.EMAIL_FROM)
    : createOutboxTransport(join(config.DATA_DIR, 'outbox'), logger);
}

function pictureStore(config: IdentityConfig): PictureStore {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region, S3_FORCE_PATH_STYLE: forcePathStyle } = config;
  return config.STORAGE_PROVIDER === 's3' && bucket !== undefined
    ? createS3PictureStore({ bucket, region, forcePathStyle, ...(endpoint === undefined ? {} : { endpoint }) })
    : createLocalPictureStore(join(config.DATA_DIR, 'pictures'));
}

/** What oidc-provider gives to fetch, in the types of undici. */
function plainOptions({ method, headers, body, signal }: RequestInit = {}) {
  return {
    headers: [...new Headers(headers)],
    ...(method === undefined ? {} : { method }),
    // A form is all that it sends.
    ...(body == null ? {} : { body: String(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}
