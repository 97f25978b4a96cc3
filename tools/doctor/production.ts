import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '@tessera/kernel/config';
import { about, type Finding, reasonOf } from '../../packages/cli/src/doctor/finding.ts';
import type { Configuration } from './configuration.ts';

/** A condition that holds when the setting is unsafe, and what to do. */
type Rule = readonly [isUnsafe: boolean, message: string];

/** What works and must not go into production. The values themselves are never shown. */
export function checkProduction(configuration: Configuration, environment: Environment, now: Date): Finding[] {
  const { service } = configuration;
  const { ok, unsafe } = about('production', service);
  const rules = [...commonRules(configuration.config), ...ownRules(configuration)];
  const findings = [
    ...rules.flatMap(([isUnsafe, message]) => (isUnsafe ? [unsafe(message)] : [])),
    ...checkSecrets(service, environment),
    ...checkFiles(service, environment, now),
  ];
  return findings.some(({ level }) => level === 'unsafe' || level === 'error') ? findings : [...findings, ok('nothing unsafe is set')];
}

function commonRules({ NODE_ENV, APP_URL, CACHE_STRATEGY, grpcTls, ...config }: Configuration['config']): readonly Rule[] {
  const peers = [config.IDENTITY_GRPC_URL, config.TENANCY_GRPC_URL, config.RBAC_GRPC_URL, config.KEYS_GRPC_URL];
  const leavesMachine = peers.flatMap((urls) => urls.split(',')).some((url) => !/^unix:|^(?:localhost|127\.[\d.]+|\[::1\]):/.test(url));
  return [
    [NODE_ENV !== 'production', 'NODE_ENV is not production: stack traces and the GraphQL IDE are shown, and requests are not limited'],
    [!APP_URL.startsWith('https:'), 'APP_URL is not https: tokens and cookies travel unencrypted'],
    [
      CACHE_STRATEGY === 'memory',
      'CACHE_STRATEGY is memory: each replica counts limits for itself, and sign-ins by provider need one replica',
    ],
    [leavesMachine && grpcTls === undefined, 'GRPC_TLS_* is unset and peers are on other hosts: calls between services are not encrypted'],
    [isOpen(config.REDIS_URL, /^rediss:|^unix:/), 'REDIS_URL leads to another host without TLS or without a password'],
    [isOpen(config.REDIS_SENTINELS, /^rediss:/), 'REDIS_SENTINELS leads to another host without TLS or without a password'],
    [isOpen(config.NATS_URL, /^tls:/) && config.NATS_CREDS === undefined, 'NATS_URL leads to another host without TLS or without a login'],
  ];
}

/** Another host, and either not encrypted or without a login. */
function isOpen(url: string | undefined, encrypted: RegExp): boolean {
  if (url === undefined || url.startsWith('unix:')) return false;
  return url.split(',').some((server) => {
    const { hostname, username, password } = new URL(server.trim());
    return !isLoopback(hostname) && (!encrypted.test(server.trim()) || username + password === '');
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function ownRules({ service, config }: Configuration): readonly Rule[] {
  if (service === 'gateway') {
    return [
      [!config.hasLimits, 'SECURITY_ENABLE_RATE_LIMIT is false: passwords can be tried without limit'],
      [
        config.SECURITY_CORS_ORIGIN?.split(',').some((origin) => origin.trim() === '*') === true,
        'SECURITY_CORS_ORIGIN lets every origin in',
      ],
      [
        config.isHttps && config.tls === undefined && config.SECURITY_TRUST_PROXY === '',
        'SECURITY_TRUST_PROXY is unset, though a proxy must end TLS: limits count the proxy as one client',
      ],
      [config.API_DOCS === true && config.isProduction, 'API_DOCS is true: the documents of the API are public'],
    ];
  }
  const stored: readonly Rule[] = [
    [!config.SECURITY_ENABLE_RLS, 'SECURITY_ENABLE_RLS is false: no policy of the database stands behind the queries'],
  ];
  if (service !== 'identity') return stored;
  return [
    ...stored,
    [config.EMAIL_PROVIDER === 'outbox', 'EMAIL_PROVIDER is outbox: mails with sign-in links lie in files, and reach no one'],
    [
      config.SMTP_URL?.startsWith('smtp://') === true && /^smtp:\/\/[^/]*:465/.test(config.SMTP_URL),
      'SMTP_URL is smtp:// on port 465: use smtps://',
    ],
    [/@localhost\b/.test(config.EMAIL_FROM), 'EMAIL_FROM is at localhost: mail servers refuse it'],
    [config.TOKEN_BCRYPT_ROUNDS < 10, 'TOKEN_BCRYPT_ROUNDS is below 10: stolen password hashes are cheap to try'],
    [config.WEBHOOK_ALLOW_PRIVATE, 'WEBHOOK_ALLOW_PRIVATE is true: tenants can make requests inside your network'],
    [
      config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES > 60,
      'JWT_ACCESS_TOKEN_EXPIRATION_MINUTES is above 60: others accept a revoked token for so long',
    ],
    [config.STORAGE_PROVIDER === 'local', 'STORAGE_PROVIDER is local: replicas do not see each other’s pictures'],
  ];
}

const secretNames = ['INTERNAL_AUTH_SECRET', 'KEYS_ENCRYPTION_KEY', 'AUTH_PASSWORD_SECRETS', 'AUTH_FACTOR_SECRETS', 'WEBHOOK_SECRETS'];
/** Words of examples and of first tries. */
const guessable = /secret|password|passwort|change|example|default|tessera|admin|test|12345|qwert|abcde/i;
const fewestDistinct = 10;

/** A secret that a person made up, or that opens two doors. */
function checkSecrets(service: string, environment: Environment): Finding[] {
  const { unsafe, note } = about('secrets', service);
  const values = secretNames.flatMap((name) =>
    (environment[name] ?? '').split(',').flatMap((value) => (value.trim() ? [[name, value.trim()]] : [])),
  );
  const findings = values.flatMap(([name = '', value = '']) =>
    guessable.test(value) || new Set(value).size < fewestDistinct
      ? [unsafe(`${name} looks made up: make it with deploy/generate-secrets.sh`)]
      : [],
  );
  const seen = new Map<string, string>();
  for (const [name = '', value = ''] of values) {
    const other = seen.get(value);
    if (other !== undefined)
      findings.push(unsafe(other === name ? `${name} names a value twice` : `${name} and ${other} have the same value`));
    seen.set(value, name);
  }
  const rotating = new Set(values.map(([name = '']) => name).filter((name, index, all) => all.indexOf(name) !== index));
  return [...findings, ...[...rotating].map((name) => note(`${name} has several values: finish its rotation (docs/rotation.md)`))];
}

const fileNames = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA', 'GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY', 'NATS_CA', 'NATS_CREDS'];
const dayMs = 86_400_000;
const soonDays = 21;

/** Files that cannot be read, private ones that others can read, and certificates that end. */
function checkFiles(service: string, environment: Environment, now: Date): Finding[] {
  return fileNames.flatMap((name) => {
    const { unsafe, error } = about('files', service);
    const path = environment[name]?.trim();
    if (!path) return [];
    try {
      if (/_KEY$|_CREDS$/.test(name))
        return (statSync(path).mode & 0o004) === 0 ? [] : [unsafe(`${name}: every account can read the file`)];
      const days = (Date.parse(new X509Certificate(readFileSync(path)).validTo) - now.getTime()) / dayMs;
      if (days < 0) return [error(`${name}: the certificate has expired`)];
      return days < soonDays ? [unsafe(`${name}: the certificate expires in ${Math.floor(days)} days`)] : [];
    } catch (thrown) {
      return [error(`${name} cannot be read: ${reasonOf(thrown)}`)];
    }
  });
}
