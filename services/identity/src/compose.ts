/** Builds what the rooms need, the lowest room first. */
import { join } from 'node:path';
import { failures } from '@tessera/kernel/errors';
import { createBatcher } from '@tessera/kernel/grpc';
import { createGuardedFetch, type GuardedFetch } from '@tessera/kernel/guard';
import { listAudit } from '@tessera/kernel/operation';
import type { SignRequest, SignResponse } from '@tessera/proto/types/keys.v1';
import type { Kernel } from '@tessera/server/lifecycle';
import type { AppsDeps } from './apps/deps.ts';
import { createRevoker } from './apps/revoker.ts';
import { type IdentityConfig, passwordSecretsOf } from './config.ts';
import type { IdentityDeps } from './deps.ts';
import { type Background, createBackground } from './ground/background.ts';
import type { Cache } from './ground/cache/cache.ts';
import { createCache } from './ground/cache/create.ts';
import type { GroundDeps } from './ground/deps.ts';
import { withSharedAccounts } from './ground/peers/accounts.ts';
import { createChecks } from './ground/peers/checks.ts';
import { createRequestCounts, type RequestCounts } from './ground/request-counts.ts';
import { deriveKeys, deriveToken } from './ground/tokens/opaque-token.ts';
import { createFaces } from './mail/faces.ts';
import { createInvitationTokens } from './mail/invitation-tokens.ts';
import type { MailTransport } from './mail/mail.ts';
import { createOutboxTransport } from './mail/outbox-transport.ts';
import { createSmtpTransport } from './mail/smtp-transport.ts';
import type { OauthDeps } from './oauth/deps.ts';
import { createDocumentReader } from './oauth/document-reader.ts';
import { requireIssuer } from './oauth/openid/issuer.ts';
import { createProviders, type Providers } from './oauth/openid/providers.ts';
import { createOuterKeys } from './oauth/outer-keys.ts';
import { platformClientsOf } from './oauth/platform-clients.ts';
import type { PeopleDeps } from './people/deps.ts';
import { errors } from './people/errors.ts';
import { createMailLogos } from './people/mail-logos.ts';
import { createMailer } from './people/mailer.ts';
import { openBreachedPasswords } from './people/passwords/breached.ts';
import { startPasswordHasher } from './people/passwords/password-hasher.ts';
import { createLocalPictureStore, createS3PictureStore, type PictureStore } from './people/pictures/picture-store.ts';
import { createMethodsReader } from './people/storage/authentication-methods.ts';
import { createOpenidConnections } from './sign-in/connections/openid-connection.ts';
import { type ArrivedForm, createPlatformConnection } from './sign-in/connections/provider.ts';
import { type ArrivedAnswer, answerSeconds } from './sign-in/connections/saml/saml-connection.ts';
import { createSamlReader } from './sign-in/connections/saml/saml-reader.ts';
import type { SignInDeps } from './sign-in/deps.ts';
import {
  type ConnectionTestFlow,
  type ConnectionTestStart,
  createFlowStore,
  type PasskeyChallenge,
  type PlatformFlow,
  type ProjectFlow,
  type SignInCode,
  testStartSeconds,
} from './sign-in/flow.ts';
import { createMailedCodes } from './sign-in/mailed-codes.ts';
import { createRefusalPace } from './sign-in/refusal-pace.ts';
import { createSecretsAtRest } from './sign-in/secrets-at-rest.ts';
import { createSessionTokens } from './sign-in/session-tokens.ts';
import { findConnection } from './sign-in/storage/connections.ts';
import { createDocumentStore } from './sign-in/storage/provider-documents.ts';

/** What a room adds to the rooms below it. The settings of all rooms are one record. */
type Added<Deps, Below = unknown> = Omit<Deps, keyof Below | 'settings'>;
type Settings = IdentityDeps['settings'];
type Sign = OauthDeps['sign'];

export type Composed = {
  readonly deps: IdentityDeps;
  readonly openid: Providers;
  isHealthy(): Promise<boolean>;
  stop(): Promise<void>;
};

const minuteMs = 60_000;
const passkeySeconds = 300;
/** How long a count may wait once its minute is over. */
const flushMs = 5_000;

/** Several replicas need a shared cache for their flows: CACHE_STRATEGY=redis. */
export async function composeDeps(config: IdentityConfig, kernel: Kernel): Promise<Composed> {
  const settings = settingsOf(config);
  const accessTokenSeconds = config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES * 60;
  const cache = createCache(config, kernel.logger);
  const background = createBackground(kernel.logger);
  const requestCounts = createRequestCounts();
  const failed = (error: unknown) => kernel.logger.error({ err: error }, 'counted requests could not be audited');
  const flushing = setInterval(() => void requestCounts.flush(new Date()).catch(failed), flushMs).unref();
  const guardedFetch = createGuardedFetch({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE });
  const sign = createBatcher<SignRequest, SignResponse>({
    maxSize: 100,
    run: async (requests) => (await kernel.peers.keys.signMany({ requests })).responses,
  });
  const people = await peopleOf(config, kernel, settings);
  const openid = createProviders({
    keys: kernel.peers.keys,
    fetch: (url, options) => guardedFetch(typeof url === 'object' && 'url' in url ? url.url : url, plainOptions(options)),
    lifetimes: { accessTokenSeconds, refreshTokenSeconds: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS * 86_400 },
  });
  const deps: IdentityDeps = {
    settings,
    ...groundOf(kernel, background, requestCounts),
    ...people.deps,
    ...appsOf(config, kernel, accessTokenSeconds),
    ...signInOf(config, { kernel, cache, sign, accessTokenSeconds, guardedFetch }),
    ...oauthOf(config, { kernel, cache, sign, accessTokenSeconds, settings, guardedFetch }),
    openidProviderOf: (url) => openid.of(requireIssuer(url, config.APP_URL), deps),
  };
  return {
    deps,
    openid,
    isHealthy: () => cache.isHealthy(),
    async stop() {
      clearInterval(flushing);
      await guardedFetch[Symbol.asyncDispose]();
      await background.settle();
      await requestCounts.stop(new Date()).catch(failed);
      await cache.close();
      await people.stop();
      await deps.samlReader.stop();
    },
  };
}

function settingsOf(config: IdentityConfig): Settings {
  const frontendUrl = config.SECURITY_FRONTEND_URL ?? config.APP_URL;
  return {
    productName: config.BRAND_NAME,
    appUrl: config.APP_URL,
    frontendUrl,
    cookieOrigins: [...new Set([config.APP_URL, frontendUrl, ...config.SECURITY_CORS_ORIGIN].map((url) => new URL(url).origin))],
    allowPrivateAddresses: config.WEBHOOK_ALLOW_PRIVATE,
    hasEmailCodes: config.EMAIL_CODE_ENABLED,
    sendsMails: config.EMAIL_PROVIDER === 'smtp',
    recoveryWaitHours: config.RECOVERY_WAIT_HOURS,
    verificationMs: config.AUTH_VERIFICATION_EXPIRATION_HOURS * 60 * minuteMs,
    lockout: config.AUTH_LOCKOUT_ENABLED
      ? { mostFailures: config.AUTH_MAX_FAILED_LOGIN_ATTEMPTS, seconds: config.AUTH_LOCKOUT_DURATION_MINUTES * 60 }
      : undefined,
  };
}

function groundOf({ database, logger, relay, peers }: Kernel, background: Background, requestCounts: RequestCounts): Added<GroundDeps> {
  return {
    database,
    logger,
    background,
    requestCounts,
    deliver: relay.deliver,
    tenancy: withSharedAccounts(peers.tenancy),
    roles: peers.roles,
    tags: peers.tags,
    catalogue: peers.catalogue,
  };
}

type People = { readonly deps: Added<PeopleDeps, GroundDeps>; stop(): Promise<void> };

async function peopleOf(config: IdentityConfig, { database, logger, clock, authorizer }: Kernel, settings: Settings): Promise<People> {
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
  const invitationTokens = createInvitationTokens(config.INTERNAL_AUTH_SECRET);
  const pictures = pictureStore(config);
  const faces = createFaces({ database, platform: { name: config.BRAND_NAME, color: config.BRAND_COLOR } });
  const mailer = createMailer({
    database,
    invitationTokens,
    mostInvitationsOfDay: config.QUOTA_INVITATIONS_TO_ADDRESS,
    transport: mailTransport(config, logger),
    secret: config.INTERNAL_AUTH_SECRET,
    frontendUrl: settings.frontendUrl,
    faces,
    logoOf: createMailLogos(pictures),
    lifetimeMs: { 'verify-email': settings.verificationMs, 'reset-password': config.AUTH_PASSWORD_RESET_EXPIRATION_MINUTES * minuteMs },
    clock,
    logger,
  });
  return {
    deps: {
      methodsOf: createMethodsReader(database),
      hasher,
      breachedPasswords,
      mailer,
      invitationTokens,
      pictures,
      faces,
      authorizer,
    },
    async stop() {
      await mailer.stop();
      await hasher.stop();
      await breachedPasswords.stop();
    },
  };
}

function appsOf(config: IdentityConfig, kernel: Kernel, accessTokenSeconds: number): Added<AppsDeps, PeopleDeps> {
  return {
    revoker: createRevoker({ database: kernel.database, accessTokenSeconds, announce: kernel.revoke }),
    connectionNames: config.oauthProviders.map(({ name }) => name),
    subjects: kernel.peers.authorization,
    keys: kernel.peers.keys,
  };
}

type SignInParts = {
  readonly kernel: Kernel;
  readonly guardedFetch: GuardedFetch;
  readonly cache: Cache;
  readonly sign: Sign;
  readonly accessTokenSeconds: number;
};

function signInOf(
  config: IdentityConfig,
  { kernel, cache, sign, accessTokenSeconds, guardedFetch }: SignInParts,
): Added<SignInDeps, AppsDeps> {
  const { APP_URL: appUrl, OAUTH_STATE_TTL_SECONDS: stateSeconds, OAUTH_CODE_TTL_SECONDS: codeSeconds } = config;
  const sealKey = deriveKeys(config.INTERNAL_AUTH_SECRET, 'flow');
  const [refreshKey, ...earlierKeys] = deriveKeys(config.INTERNAL_AUTH_SECRET, 'refresh-token');
  const providerForms = createFlowStore<ArrivedForm>(cache, sealKey, 'provider-form', answerSeconds);
  const connections = config.oauthProviders.map((one) => [one.name, createPlatformConnection(one, appUrl, providerForms)] as const);
  return {
    sessions: createSessionTokens({
      sign,
      appUrl,
      accessTokenSeconds,
      refreshTokenDays: config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS,
      organizationOf: async (connectionId) => (await findConnection(kernel.database, connectionId))?.organizationId,
    }),
    successorsOf: (refreshToken) => [deriveToken(refreshKey, refreshToken), ...earlierKeys.map((key) => deriveToken(key, refreshToken))],
    verifyToken: kernel.verifyToken,
    refusalPace: createRefusalPace(config.TOKEN_BCRYPT_ROUNDS),
    counters: cache,
    factorSecrets: createSecretsAtRest(deriveKeys(config.AUTH_FACTOR_SECRETS ?? config.INTERNAL_AUTH_SECRET, 'second-factor')),
    passkeyChallenges: createFlowStore<PasskeyChallenge>(cache, sealKey, 'passkey', passkeySeconds),
    addressCodes: createMailedCodes(deriveKeys(config.INTERNAL_AUTH_SECRET, 'address-code')),
    emailCodes: createMailedCodes(deriveKeys(config.INTERNAL_AUTH_SECRET, 'email-code')),
    openidConnections: createOpenidConnections({
      fetch: guardedFetch,
      allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      appUrl,
      clock: () => kernel.clock().getTime(),
      store: createDocumentStore(kernel.database),
      logger: kernel.logger,
    }),
    guardedFetch,
    samlReader: createSamlReader({ unavailable: () => failures.unavailable('identity'), logger: kernel.logger }),
    providerForms,
    samlAnswers: createFlowStore<ArrivedAnswer>(cache, sealKey, 'saml', answerSeconds),
    connectionSecrets: createSecretsAtRest(deriveKeys(config.AUTH_FACTOR_SECRETS ?? config.INTERNAL_AUTH_SECRET, 'connection')),
    connections: new Map(connections),
    platformFlows: createFlowStore<PlatformFlow>(cache, sealKey, 'platform', stateSeconds),
    projectFlows: createFlowStore<ProjectFlow>(cache, sealKey, 'project', stateSeconds),
    connectionTestStarts: createFlowStore<ConnectionTestStart>(cache, sealKey, 'connection-test-start', testStartSeconds),
    connectionTestFlows: createFlowStore<ConnectionTestFlow>(cache, sealKey, 'connection-test', stateSeconds),
    codes: createFlowStore<SignInCode>(cache, sealKey, 'code', codeSeconds),
  };
}

type OauthParts = {
  readonly kernel: Kernel;
  readonly cache: Cache;
  readonly sign: Sign;
  readonly accessTokenSeconds: number;
  readonly settings: Settings;
  readonly guardedFetch: GuardedFetch;
};

function oauthOf(
  config: IdentityConfig,
  { kernel, cache, sign, accessTokenSeconds, settings, guardedFetch }: OauthParts,
): Omit<Added<OauthDeps, SignInDeps>, 'openidProviderOf'> {
  return {
    accessTokenSeconds,
    sign,
    permissions: kernel.peers.authorization,
    auditLogs: auditLogsOf(kernel),
    checks: createChecks(),
    outerKeys: createOuterKeys(guardedFetch),
    documentReader: createDocumentReader({ fetch: guardedFetch, counters: cache }),
    emailEntryUrl: config.PROJECT_OAUTH_EMAIL_ENTRY_URL ?? `${settings.frontendUrl}/auth/project/email`,
    platformClients: platformClientsOf(config.openidClients),
  };
}

/** The own log is read without a call. */
function auditLogsOf({ database, peers: { auditLogs } }: Kernel): OauthDeps['auditLogs'] {
  return [{ list: (asked) => listAudit(database, asked) }, auditLogs.tenancy, auditLogs.rbac, auditLogs.keys];
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
