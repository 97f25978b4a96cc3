import type { ServiceName } from './upstream.ts';

/**
 * A path and all paths below it belong to a service. The longer rule wins. `:name` stands for one
 * segment.
 */
export type RouteRule = {
  readonly path: string;
  readonly service: ServiceName;
  /** Only this path, without the paths below it. */
  readonly isExact?: true;
  /** Only this method; others follow the rule of the path above. */
  readonly method?: 'POST';
  /**
   * `auth`: checks a secret, tells whether an address is registered, or sends mail. The same limit
   * counts the mutations of `limits/auth-fields.ts`. `client`: OAuth clients authenticate there,
   * and failures count in `auth`.
   */
  readonly limit?: 'auth' | 'client';
  readonly bodyMebibytes?: number;
  /** The service itself says which browser origins may read: those of the client that asks. */
  readonly cors?: 'service';
  /** A public document that hardly ever changes: remembered, with a limit of its own. */
  readonly isDocument?: true;
};

function auth(path: string): RouteRule {
  return { path: `/api/auth/${path}`, service: 'identity', isExact: true, limit: 'auth' };
}
function picture(path: string): RouteRule {
  return { path, service: 'identity', isExact: true, bodyMebibytes: 6 };
}

function document(path: string): RouteRule {
  return { path, service: 'keys', isExact: true, isDocument: true };
}

const issuers = ['', '/org/:organizationId/prj/:projectId', '/acc/:accountId/prj/:projectId'];

/** The addresses of an OpenID provider, below its issuer. */
function openid(issuer: string): readonly RouteRule[] {
  const own = { service: 'identity', isExact: true, cors: 'service' } as const;
  return [
    { ...own, path: `${issuer}/.well-known/openid-configuration`, isDocument: true },
    { ...own, path: `/.well-known/oauth-authorization-server${issuer}`, isDocument: true },
    { ...own, path: `${issuer}/oauth/authorize`, limit: 'auth' },
    { ...own, path: `${issuer}/oauth/authorize/:interaction` },
    { ...own, path: `${issuer}/oauth/device`, limit: 'auth' },
    { ...own, path: `${issuer}/oauth/device/verification/:interaction` },
    { ...own, path: `${issuer}/oauth/logout`, limit: 'auth' },
    { ...own, path: `${issuer}/oauth/userinfo` },
    ...['token', 'par', 'introspect', 'revoke'].map((name) => ({ ...own, path: `${issuer}/oauth/${name}`, limit: 'client' as const })),
  ];
}

/** All REST routes. A test compares them with the operations of the services. */
export const routeRules: readonly RouteRule[] = [
  { path: '/api/auth', service: 'identity' },
  auth('login'),
  auth('register'),
  auth('refresh'),
  auth('cli-callback'),
  auth('verify-email'),
  auth('reject-registration'),
  auth('resend-verification'),
  auth('request-password-reset'),
  auth('reset-password'),
  ...['second-factor', 'passkey', 'confirm', 'recovery', 'recovery/finish'].map(auth),
  auth('project/email/request'),
  auth('device'),
  { path: '/api/auth/interactions/:id', service: 'identity', isExact: true, method: 'POST', limit: 'auth' },
  { path: '/api/auth/token', service: 'keys', limit: 'auth' },
  { path: '/api/auth/is-authorized', service: 'rbac' },
  { path: '/api/auth/permissions', service: 'rbac' },
  { path: '/api/auth/search', service: 'rbac' },
  { path: '/api/auth/try-condition', service: 'rbac', isExact: true },
  { path: '/api/me', service: 'identity' },
  { path: '/api/me/audit-events', service: 'tenancy', isExact: true },
  { path: '/api/audit-events', service: 'tenancy' },
  { path: '/api/webhooks', service: 'tenancy' },
  { path: '/api/me/authentication-methods', service: 'identity', isExact: true, method: 'POST', limit: 'auth' },
  { path: '/api/me/address-code', service: 'identity', isExact: true, limit: 'auth' },
  { path: '/api/me/address-code/confirm', service: 'identity', isExact: true, limit: 'auth' },
  { path: '/api/me/change-password', service: 'identity', isExact: true, limit: 'auth' },
  picture('/api/me/picture'),
  { path: '/api/users', service: 'identity' },
  { path: '/api/platform', service: 'tenancy' },
  { path: '/api/platform/users/import', service: 'identity', isExact: true, bodyMebibytes: 4 },
  picture('/api/users/:id/picture'),
  { path: '/api/sign-in-counts', service: 'identity' },
  { path: '/api/project-apps', service: 'identity' },
  { path: '/pictures', service: 'identity' },
  { path: '/api/accounts', service: 'tenancy' },
  { path: '/api/organizations', service: 'tenancy' },
  { path: '/api/organization-members', service: 'tenancy' },
  { path: '/api/organization-invitations/reject-account', service: 'tenancy', isExact: true, limit: 'auth' },
  { path: '/api/organization-invitations', service: 'tenancy' },
  { path: '/api/projects', service: 'tenancy' },
  { path: '/api/roles', service: 'rbac' },
  { path: '/api/groups', service: 'rbac' },
  { path: '/api/decision-counts', service: 'rbac' },
  { path: '/api/permissions', service: 'rbac' },
  { path: '/api/resources', service: 'rbac' },
  { path: '/api/tags', service: 'rbac' },
  { path: '/api/api-keys', service: 'keys' },
  { path: '/api/signing-keys', service: 'keys' },
  { path: '/access/v1', service: 'rbac' },
  { path: '/.well-known/authzen-configuration', service: 'rbac', isExact: true, isDocument: true },
  document('/.well-known/jwks.json'),
  document('/org/:organizationId/prj/:projectId/.well-known/jwks.json'),
  document('/acc/:accountId/prj/:projectId/.well-known/jwks.json'),
  ...issuers.flatMap(openid),
];
