import {
  allSettings,
  choice,
  commonConfig,
  type Environment,
  flag,
  group,
  integer,
  publicAddresses,
  readConfig,
  redisRule,
  text,
} from '@tessera/kernel/config';
import { accessLogFormats, accessLogModes } from './edge/access-log.ts';
import { parseNetworks, parseTrustedProxies } from './edge/address.ts';
import { parseCorsPolicy } from './edge/cors.ts';

const httpAddresses = {
  pattern: /^((unix:\/[^,]+|https?:\/\/[^\s,]+)(,(?!$)|$))+$/,
  shape: 'http://host:port or unix:/path, one for each replica, separated by commas',
} as const;

const grpcAddresses = {
  pattern: /^((unix:\/[^\s,]+|[^\s/,]+:\d+)(,(?!$)|$))+$/,
  shape: 'host:port or unix:/path, one for each replica, separated by commas',
} as const;

/** All environment variables of the gateway. */
export const gatewayShape = {
  ...commonConfig,
  RBAC_GRPC_URL: text(grpcAddresses),
  GATEWAY_GRPC_LISTEN: text({
    optional: true,
    pattern: /^[^\s/]+:\d+$/,
    shape: 'host:port',
    about: 'Where applications ask for decisions over gRPC, with TLS when GATEWAY_TLS_CERT is set; unset: nowhere',
  }),
  HOST: text({ default: '127.0.0.1', about: 'Where the gateway listens' }),
  PORT: integer({ default: 3000, min: 0, max: 65_535, about: 'The public port' }),
  IDENTITY_HTTP_URL: text(httpAddresses),
  TENANCY_HTTP_URL: text(httpAddresses),
  RBAC_HTTP_URL: text(httpAddresses),
  KEYS_HTTP_URL: text(httpAddresses),
  tls: group({ GATEWAY_TLS_CERT: text({ about: 'PEM file; unset: plain HTTP' }), GATEWAY_TLS_KEY: text({ about: 'PEM file' }) }),
  SECURITY_FRONTEND_URL: text({ optional: true, about: 'Base URL of pages of your own; the hosted pages when left out' }),
  GATEWAY_WEB_FOLDER: text({ optional: true, about: 'The built hosted pages and console; web/dist when left out' }),
  SECURITY_TRUST_PROXY: text({ default: '', about: 'Hops, or addresses and networks, whose X-Forwarded-For counts' }),
  SECURITY_CORS_ORIGIN: text({ optional: true, about: 'Origins, comma-separated; default the frontend' }),
  SECURITY_ENABLE_RATE_LIMIT: flag({ optional: true, about: 'Default: only in production' }),
  SECURITY_RATE_LIMIT_MAX: integer({
    default: 100,
    min: 1,
    about: 'Requests of one address in a window. Key sets, discovery and the files of the pages are counted apart, to ten times as many',
  }),
  SECURITY_RATE_LIMIT_WINDOW_MINUTES: integer({ default: 15, min: 1, about: 'Length of that window' }),
  SECURITY_RATE_LIMIT_AUTH_MAX: integer({ default: 20, min: 1, about: 'Sign-in requests of one address in a window' }),
  SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES: integer({ default: 15, min: 1, about: 'Length of that window' }),
  SECURITY_RATE_LIMIT_PER_TENANT_ENABLED: flag({ default: false, about: 'A third limit, by the tenant of the token' }),
  SECURITY_RATE_LIMIT_PER_TENANT_MAX: integer({ default: 200, min: 1, about: 'Requests of one tenant in a window' }),
  SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES: integer({ default: 15, min: 1, about: 'Length of that window' }),
  SECURITY_RATE_LIMIT_CREDENTIAL_MAX: integer({
    optional: true,
    min: 1,
    about: 'Requests of one key or app in a window, counted in place of its address; unset: by address',
  }),
  SECURITY_RATE_LIMIT_AGENT_MAX: integer({
    optional: true,
    min: 1,
    about:
      'Requests in a window of an app that acts for people, for all of them together; beside the other limits, and needs the one for a person; unset: no such limit',
  }),
  SECURITY_RATE_LIMIT_AGENT_PERSON_MAX: integer({
    optional: true,
    min: 1,
    about: 'Requests in a window of an app that acts for people, for one of them; beside the other limits; unset: no such limit',
  }),
  SECURITY_RATE_LIMIT_TRUSTED: text({ default: '', about: 'Addresses and networks that are not counted by address, comma-separated' }),
  API_DOCS: flag({
    optional: true,
    about: 'OpenAPI at /api-docs, and the GraphQL schema and proto file, in production only when this is true',
  }),
  APOLLO_INTROSPECTION: flag({ default: true, about: 'Introspection and the IDE; always off in production' }),
  GATEWAY_UPSTREAM_TIMEOUT_SECONDS: integer({ default: 30, min: 1, max: 600, about: 'How long a service may take to answer' }),
  GATEWAY_SUBGRAPH_TIMEOUT_SECONDS: integer({
    default: 10,
    min: 1,
    max: 600,
    about: 'How long a service may take for its part of a query',
  }),
  GATEWAY_ACCESS_LOG: choice(accessLogModes, {
    default: 'errors',
    about: 'One line for each answer: none, those from 400 on, or all; at level info, from 500 on warn',
  }),
  GATEWAY_ACCESS_LOG_FORMAT: choice(accessLogFormats, {
    default: 'json',
    about: 'Of the access log: JSON, or the Combined Log Format with request id, trace id and milliseconds at the end',
  }),
  GATEWAY_SCHEMA_POLL_SECONDS: integer({ default: 10, min: 1, about: 'How often the services are asked for a changed schema' }),
};

function parses(name: string, parse: (text: string) => unknown, value: string | undefined): string | undefined {
  try {
    parse(value ?? '');
    return undefined;
  } catch {
    return `${name} could not be read`;
  }
}

/** Reads and checks the environment. Throws one error that names every fault. */
export function readGatewayConfig(environment: Environment) {
  const config = readConfig(environment, gatewayShape, {
    settings: allSettings,
    known: [...publicAddresses('GATEWAY'), 'APOLLO_TELEMETRY_DISABLED'],
    rules: [
      redisRule,
      ({ SECURITY_RATE_LIMIT_AGENT_MAX, SECURITY_RATE_LIMIT_AGENT_PERSON_MAX }) =>
        SECURITY_RATE_LIMIT_AGENT_MAX !== undefined && SECURITY_RATE_LIMIT_AGENT_PERSON_MAX === undefined
          ? 'SECURITY_RATE_LIMIT_AGENT_PERSON_MAX is missing (with SECURITY_RATE_LIMIT_AGENT_MAX alone, one person could use it up for all)'
          : undefined,
      ({ SECURITY_TRUST_PROXY }) => parses('SECURITY_TRUST_PROXY', parseTrustedProxies, SECURITY_TRUST_PROXY),
      ({ SECURITY_RATE_LIMIT_TRUSTED }) => parses('SECURITY_RATE_LIMIT_TRUSTED', parseNetworks, SECURITY_RATE_LIMIT_TRUSTED),
      ({ SECURITY_CORS_ORIGIN }) => parses('SECURITY_CORS_ORIGIN', parseCorsPolicy, SECURITY_CORS_ORIGIN),
    ],
  });
  const isProduction = config.NODE_ENV === 'production';
  return {
    ...config,
    isProduction,
    isHttps: config.APP_URL.startsWith('https:'),
    trustedProxies: parseTrustedProxies(config.SECURITY_TRUST_PROXY),
    trustedNetworks: parseNetworks(config.SECURITY_RATE_LIMIT_TRUSTED),
    cors: parseCorsPolicy(config.SECURITY_CORS_ORIGIN ?? new URL(config.SECURITY_FRONTEND_URL ?? config.APP_URL).origin),
    hasLimits: config.SECURITY_ENABLE_RATE_LIMIT ?? isProduction,
    hasApiDocs: config.API_DOCS ?? true,
    hasSchemaFiles: config.API_DOCS ?? !isProduction,
    hasIntrospection: config.APOLLO_INTROSPECTION && !isProduction,
    upstreamUrls: {
      identity: config.IDENTITY_HTTP_URL,
      tenancy: config.TENANCY_HTTP_URL,
      rbac: config.RBAC_HTTP_URL,
      keys: config.KEYS_HTTP_URL,
    },
  };
}

export type GatewayConfig = ReturnType<typeof readGatewayConfig>;
