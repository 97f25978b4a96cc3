import type { Environment } from '@tessera/kernel/config';
import { about, type Counts, countLevels, type Finding } from '../../packages/cli/src/doctor/finding.ts';
import { databaseServices, type Service, variablePrefix } from '../services.ts';
import { type Configuration, readConfiguration, servicesIn } from './configuration.ts';
import { checkDataFolder } from './folder.ts';
import { checkGrpc, checkHttp } from './peers.ts';
import { checkPostgres } from './postgres.ts';
import { checkProduction } from './production.ts';
import { checkAddress, checkNats, checkRedis } from './stores.ts';

export interface DoctorOptions {
  readonly environment: Environment;
  /** Left out: those that the environment is for. */
  readonly services?: readonly Service[];
  readonly timeoutMs?: number;
  /** Reads the configuration only. */
  readonly isOffline?: boolean;
  readonly now?: Date;
}

export interface Report {
  readonly services: readonly Service[];
  readonly findings: readonly Finding[];
  readonly counts: Counts;
  /** 0: nothing to do. 1: something does not work. 2: it works, and is unsafe for production. */
  readonly exitCode: 0 | 1 | 2;
}

const defaultTimeoutMs = 3_000;

export async function examine({
  environment,
  isOffline = false,
  timeoutMs = defaultTimeoutMs,
  now = new Date(),
  ...options
}: DoctorOptions) {
  const services = options.services ?? servicesIn(environment);
  if (services.length === 0) return report([], [about('configuration', 'all').error(noService)]);
  const read = services.map((service) => readConfiguration(service, environment));
  const configurations = read.flatMap(({ read: one }) => one ?? []);
  const production = configurations.flatMap((configuration) => checkProduction(configuration, environment, now));
  const reached = isOffline ? [] : await Promise.all(workOf(configurations, timeoutMs));
  return report(services, unique([...read.flatMap(({ findings }) => findings), ...reached.flat(), ...production]));
}

const noService = `No variable says which service this is for: set ${databaseServices
  .map((service) => `${variablePrefix(service)}_DATABASE_URL`)
  .join(', ')}, or IDENTITY_HTTP_URL for the gateway (docs/configuration.md).`;

/** Everything at once: a store that does not answer costs one timeout. */
function workOf(configurations: readonly Configuration[], timeoutMs: number): readonly Promise<Finding[]>[] {
  const [first] = configurations;
  if (first === undefined) return [];
  const { config } = first;
  const shared = [
    ...(config.CACHE_STRATEGY === 'redis' && config.REDIS_URL !== undefined
      ? [checkRedis({ ...config, REDIS_URL: config.REDIS_URL }, timeoutMs)]
      : []),
    ...(config.NATS_URL === undefined ? [] : [checkNats(config, config.INTERNAL_AUTH_SECRET, timeoutMs)]),
    ...(config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? []
      : [checkAddress('traces', 'collector', config.OTEL_EXPORTER_OTLP_ENDPOINT, 4318, timeoutMs)]),
  ];
  return [...shared, ...configurations.flatMap((configuration) => ownWork(configuration, timeoutMs))];
}

function ownWork({ service, config }: Configuration, timeoutMs: number): readonly Promise<Finding[]>[] {
  const asking = { self: service, secret: config.INTERNAL_AUTH_SECRET, tls: config.grpcTls, timeoutMs };
  const grpcUrls = {
    identity: config.IDENTITY_GRPC_URL,
    tenancy: config.TENANCY_GRPC_URL,
    rbac: config.RBAC_GRPC_URL,
    keys: config.KEYS_GRPC_URL,
  };
  if (service === 'gateway') {
    return databaseServices.flatMap((peer) => [
      ...config.upstreamUrls[peer].split(',').map((url) => checkHttp(peer, url.trim(), asking)),
      ...grpcUrls[peer].split(',').map((url) => (peer === 'keys' ? checkGrpc(peer, url.trim(), asking) : Promise.resolve([]))),
    ]);
  }
  const peers = databaseServices
    .filter((peer) => peer !== service)
    .flatMap((peer) => grpcUrls[peer].split(',').map((url) => checkGrpc(peer, url, asking)));
  const work = [checkPostgres(service, config, timeoutMs), ...peers];
  if (service !== 'identity') return work;
  const isSmtp = config.EMAIL_PROVIDER === 'smtp' && config.SMTP_URL !== undefined;
  const isS3 = config.STORAGE_PROVIDER === 's3' && config.S3_ENDPOINT !== undefined;
  return [
    ...work,
    Promise.resolve(checkDataFolder(config)),
    ...(isSmtp ? [checkAddress('mail', 'smtp', config.SMTP_URL, config.SMTP_URL.startsWith('smtps:') ? 465 : 587, timeoutMs)] : []),
    ...(isS3 ? [checkAddress('pictures', 's3', config.S3_ENDPOINT, config.S3_ENDPOINT.startsWith('https:') ? 443 : 80, timeoutMs)] : []),
  ];
}

/** Several services say the same about a variable that they share. */
function unique(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (finding, index) => findings.findIndex((other) => other.message === finding.message && isSameSubject(other, finding)) === index,
  );
}

function isSameSubject(one: Finding, other: Finding): boolean {
  return one.level !== 'ok' && one.check === other.check ? one.check === 'production' || one.subject === other.subject : one === other;
}

function report(services: readonly Service[], findings: readonly Finding[]): Report {
  const counts = countLevels(findings);
  return { services, findings, counts, exitCode: counts.error > 0 ? 1 : counts.unsafe > 0 ? 2 : 0 };
}
