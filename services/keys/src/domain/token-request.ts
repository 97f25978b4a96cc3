import { isId } from '@tessera/kernel/ids';
import { claimFault, mostClaimBytes } from '@tessera/rules/claims';
import { issuerOf, type ProjectScope, type SigningScope, systemScope } from './signing-scope.ts';

/** A request to sign, before validation. */
export type RawTokenRequest = {
  readonly scope: { readonly tenant: string; readonly id: string };
  readonly type: string;
  readonly subject: string;
  readonly tokenId: string;
  readonly audience: string;
  readonly lifetimeSeconds: number;
  readonly claimsJson: string;
};

export type TokenRequest = {
  readonly scope: SigningScope;
  readonly lifetimeSeconds: number;
  /** The scope of an organization that uses the project; it must have the right to. */
  readonly usedScope?: ProjectScope | undefined;
  /** All but iat, exp and kid. */
  readonly claims: Readonly<Record<string, unknown>>;
};

export class BadTokenRequest extends Error {
  override readonly name = 'BadTokenRequest';
}

type Rules = { readonly appUrl: string; readonly longestLifetimeSeconds: number };

/**
 * Accepts exactly the three kinds of token of the specification and those of service accounts, each
 * with exactly its claims. Only the platform signs sessions and service accounts; a project's key
 * signs for users of that project only, or of an organization that uses it, and a request names a
 * role for a machine app only.
 */
export function acceptTokenRequest(raw: RawTokenRequest, rules: Rules): TokenRequest {
  const scope = signingScope(raw.scope);
  require(isId(raw.subject), 'subject must be a user id');
  require(isId(raw.tokenId), 'token_id must be an id');
  const { lifetimeSeconds } = raw;
  const lives = Number.isInteger(lifetimeSeconds) && lifetimeSeconds > 0 && lifetimeSeconds <= rules.longestLifetimeSeconds;
  require(lives, `lifetime_seconds must be from 1 to ${rules.longestLifetimeSeconds}`);
  const { usedScope, ...given } = kindOf(raw, scope, rules);
  const claims = { sub: raw.subject, jti: raw.tokenId, iss: issuerOf(scope, rules.appUrl), ...given };
  return { scope, lifetimeSeconds, claims, ...(usedScope && { usedScope }) };
}

type Exchanged = { readonly keyId: string; readonly userId: string; readonly roleId: string | null; readonly lifetimeSeconds: number };

type Issued = { readonly place: ProjectScope; readonly owner: ProjectScope; readonly appUrl: string };

/**
 * The token of an exchanged API key. Its role comes from the key's row, never from a request.
 * `owner`: the project's own scope; another one where `place` is of an organization that uses it.
 */
export function tokenOfApiKey({ place, owner, appUrl }: Issued, { keyId, userId, roleId, lifetimeSeconds }: Exchanged) {
  const scope = { tenant: `${place.tenant}User`, id: `${place.id}:${userId}` };
  const role = roleId === null ? {} : { roleId };
  const claims = { sub: userId, jti: keyId, iss: issuerOf(owner, appUrl), aud: appUrl, type: 'apiKey', scope, ...role };
  const isUse = owner.tenant !== place.tenant || owner.id !== place.id;
  return { scope: owner, lifetimeSeconds, claims, ...(isUse ? { usedScope: place } : {}) } satisfies TokenRequest;
}

type Kind = Readonly<Record<string, unknown>> & { readonly usedScope?: ProjectScope | undefined };

function kindOf(raw: RawTokenRequest, scope: SigningScope, rules: Rules): Kind {
  const given = parseClaims(raw.claimsJson);
  if (raw.type === 'session') {
    require(scope.tenant === 'system', 'only the system scope signs sessions');
    return session(raw, given, rules);
  }
  if (scope.tenant === 'system') {
    require(raw.type === 'apiKey', 'the system scope signs sessions, and tokens of service accounts');
    return serviceAccount(raw, given, rules);
  }
  const projectScope = scope;
  if (raw.type === 'apiKey') return apiKey(raw, given, projectScope, rules);
  if (raw.type === 'projectApp') return projectApp(raw, given, projectScope, rules);
  throw new BadTokenRequest('type must be session, apiKey or projectApp');
}

function session(raw: RawTokenRequest, given: Claims, { appUrl }: Rules) {
  only(given, ['isVerified', 'scope', 'acr', 'amr', 'auth_time', 'connection', 'connection_organization', 'act', 'support']);
  require(raw.audience === '' || raw.audience === appUrl, 'the audience of a session is the platform');
  const { isVerified, scope, acr, amr, auth_time: authTime, connection, connection_organization: organization } = given;
  require(typeof isVerified === 'boolean', 'a session says whether the address is verified');
  require(acr === undefined || acr === 'aal1' || acr === 'aal2', 'acr is aal1 or aal2');
  require(amr === undefined || (Array.isArray(amr) && amr.every((method) => typeof method === 'string')), 'amr is a list of methods');
  require(authTime === undefined || Number.isSafeInteger(authTime), 'auth_time is in seconds');
  require(connection === undefined || (typeof connection === 'string' && isId(connection)), 'connection is an id');
  require(organization === undefined ||
    (connection !== undefined &&
      typeof organization === 'string' &&
      isId(organization)), 'connection_organization is an id beside connection');
  const level = {
    ...(acr && { acr }),
    ...(amr && { amr }),
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    ...(connection === undefined ? {} : { connection }),
    ...(organization === undefined ? {} : { connection_organization: organization }),
  };
  const { act, support } = given;
  require((act === undefined && support === undefined) || (scope ?? connection) === undefined, 'support is bound by itself');
  const acting = act === undefined && support === undefined ? {} : supportOf({ act, support }, raw);
  const place = scope === undefined ? {} : { scope: userScope(scope, raw.subject) };
  return { aud: appUrl, type: 'session', isVerified, ...level, ...acting, ...place };
}

/** A supporter who acts as the person, as the kernel's `readSupport` reads it. */
function supportOf({ act, support }: Claims, { subject, tokenId }: RawTokenRequest): Claims {
  require(typeof act === 'object' && act !== null && typeof support === 'object' && support !== null, 'act and support belong together');
  only(act as Claims, ['sub']);
  const { sub } = act as Claims;
  require(typeof sub === 'string' && isId(sub) && sub !== subject, 'act.sub is the supporter');
  const given = support as Claims;
  only(given, ['id', 'until', 'project', 'organization', 'mayWrite', 'mayExport']);
  const { id, until, project, organization, mayWrite, mayExport } = given;
  require(id === tokenId, 'support.id is the id of the token');
  require(Number.isSafeInteger(until), 'support.until is in seconds');
  require(typeof project === 'string' && project.split(':').length === 2 && project.split(':').every(isId), 'support.project is a project');
  require(typeof organization === 'string' && isId(organization), 'support.organization is an id');
  require([mayWrite, mayExport].every((value) => value === undefined || value === true), 'mayWrite and mayExport are true or left out');
  return { act, support };
}

function apiKey(raw: RawTokenRequest, given: Claims, signingScope: ProjectScope, { appUrl }: Rules) {
  only(given, ['scope', 'roleId', 'client_id', 'actsInGrants', 'resource', 'cnf']);
  require(raw.audience === '' || raw.audience === appUrl, 'the audience of an API key is the platform');
  const claims = { aud: appUrl, type: 'apiKey', scope: ownScope(given['scope'], signingScope, raw.subject) };
  const { roleId, client_id: clientId, actsInGrants, resource, cnf } = given;
  if ([roleId, clientId, actsInGrants, resource, cnf].every((value) => value === undefined)) return claims;
  // A machine app acts by its role, and is named as the client (RFC 9068 section 2.2).
  require(typeof roleId === 'string' && isId(roleId), 'roleId is the role of a machine app');
  require(typeof clientId === 'string' && clientId !== '', 'a role is for machine apps, which have a client_id');
  require(actsInGrants === undefined || actsInGrants === true, 'actsInGrants is true or left out');
  const aud = resource === undefined ? appUrl : [clientId, resourceOf(resource, appUrl)];
  return { ...claims, aud, roleId, client_id: clientId, ...(actsInGrants && { actsInGrants }), ...confirmation(cnf) };
}

/** A service account is its own client. Its token is bound to where it belongs. */
function serviceAccount(raw: RawTokenRequest, given: Claims, { appUrl }: Rules) {
  only(given, ['scope', 'cid', 'gen', 'elevated', 'networks']);
  require(raw.audience === '' || raw.audience === appUrl, 'the audience of a service account is the platform');
  require(raw.lifetimeSeconds <= 900, 'the token of a service account lives for 15 minutes at most');
  const { cid, gen, elevated = [], networks } = given;
  require(typeof cid === 'string' && isId(cid), 'cid is the credential');
  require(typeof gen === 'string' && isId(gen), 'gen is the generation of the account');
  require(isTexts(elevated) && elevated.every((name) => scopeSlug.test(name)), 'elevated must be a list of resource:action');
  require(networks === undefined || isTexts(networks), 'networks must be a list of texts');
  const limits = { ...(elevated.length > 0 && { elevated }), ...(networks && { networks }) };
  return { aud: appUrl, type: 'apiKey', scope: serviceScope(given['scope']), client_id: raw.subject, cid, gen, ...limits };
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

function serviceScope(value: unknown): { readonly tenant: string; readonly id: string } {
  require(typeof value === 'object' && value !== null, 'scope is missing');
  const { tenant, id, ...rest } = value as Claims;
  require(Object.keys(rest).length === 0, 'scope has unknown members');
  require(typeof id === 'string', 'scope.id is missing');
  const isPlatform = tenant === 'platform' && id === '';
  const isTenant = (tenant === 'organization' || tenant === 'account') && isId(id);
  require(isPlatform || isTenant, 'the scope must be an organization, an account or the platform');
  return { tenant: String(tenant), id };
}

/** The API that the token is for, as its second audience (RFC 8707): never the platform itself. */
function resourceOf(resource: unknown, appUrl: string): string {
  const url = typeof resource === 'string' && resource.length <= longestResource ? URL.parse(resource) : null;
  require(typeof resource === 'string' && url !== null && url.host !== new URL(appUrl).host, 'resource must be the URI of another API');
  return resource;
}

const thumbprint = /^[\w-]{43}$/;

/** The key that the client must prove at each use (RFC 9449 section 6.1). */
function confirmation(cnf: unknown): { readonly cnf?: { readonly jkt: string } } {
  if (cnf === undefined) return {};
  const { jkt, ...rest } = typeof cnf === 'object' && cnf !== null ? (cnf as Claims) : {};
  require(typeof jkt === 'string' && thumbprint.test(jkt) && Object.keys(rest).length === 0, 'cnf must hold one jkt');
  return { cnf: { jkt } };
}

const longestResource = 2_000;
const scopeSlug = /^[^:\s]+:[^:\s]+$/;
const longestAudience = 255;

function projectApp(raw: RawTokenRequest, given: Claims, signingScope: ProjectScope, { appUrl }: Rules) {
  only(given, ['scope', 'scopes', 'client_id', 'scp', 'org_id', 'org_slug', 'resource', 'cnf', 'act', 'mapped']);
  const { audience } = raw;
  require(audience !== '' && audience !== appUrl && audience.length <= longestAudience, 'the audience of a project app is its client id');
  const { scopes } = given;
  const areSlugs = Array.isArray(scopes) && scopes.every((slug) => typeof slug === 'string' && scopeSlug.test(slug));
  require(areSlugs, 'scopes must be a list of resource:action');
  const scope = userScope(given['scope'], raw.subject);
  const usedScope = usedScopeOf(scope, signingScope);
  const claims = { aud: audience, type: 'projectApp', scope, scopes, ...organizationOf(given, scope), ...(usedScope && { usedScope }) };
  const { client_id: clientId, scp, resource, cnf, act, mapped } = given;
  if ([clientId, scp, resource, cnf, act, mapped].every((value) => value === undefined)) return claims;
  // Tokens of apps that have a type (RFC 9068 names the client, `scp` is the list as one text).
  require(clientId === audience && scp === scopes.join(' '), 'client_id is the audience, scp the scopes as one text');
  const aud = resource === undefined ? audience : [audience, resourceOf(resource, appUrl)];
  const acting = act === undefined ? {} : { act: chainOf(act, audience) };
  return { ...mappedOf(mapped), ...claims, aud, client_id: clientId, scp, ...confirmation(cnf), ...acting };
}

/** The claims that the app itself has chosen: none has the name of another one. */
function mappedOf(mapped: unknown): Claims {
  if (mapped === undefined) return {};
  require(typeof mapped === 'object' && mapped !== null && !Array.isArray(mapped), 'mapped must be an object');
  const unfit = Object.keys(mapped).find((name) => claimFault({ name, source: 'roles' }) !== undefined);
  require(unfit === undefined, `the claim ${unfit} is not the app’s to choose`);
  require(Buffer.byteLength(JSON.stringify(mapped)) <= mostClaimBytes + 2, `mapped has at most ${mostClaimBytes} bytes`);
  return { ...mapped };
}

/** As the kernel's `parseClaims`, which refuses a longer one. */
const longestChain = 3;

/** The actors (RFC 8693 section 4.1): the app of the token, and at most two before it. */
function chainOf(act: unknown, clientId: string, depth = 1): Claims {
  require(depth <= longestChain, `act has at most ${longestChain} links`);
  require(typeof act === 'object' && act !== null && !Array.isArray(act), 'act must be an object');
  const link = act as Claims;
  only(link, ['sub', 'client_id', 'role_id', 'act']);
  const { sub, client_id: own, role_id: roleId, act: next } = link;
  require(typeof sub === 'string' && isId(sub), 'act.sub is the id of an app');
  require(typeof own === 'string' && own !== '' && (depth > 1 || own === clientId), 'act.client_id is the client, outside the audience');
  require(roleId === undefined || (typeof roleId === 'string' && isId(roleId)), 'act.role_id is the role of a machine app');
  return {
    sub,
    client_id: own,
    ...(roleId === undefined ? {} : { role_id: roleId }),
    ...(next === undefined ? {} : { act: chainOf(next, '', depth + 1) }),
  };
}

type Claims = Readonly<Record<string, unknown>>;

export function signingScope({ tenant, id }: { readonly tenant: string; readonly id: string }): SigningScope {
  if (tenant === 'system') {
    require(id === '', 'the system scope has no id');
    return systemScope;
  }
  require(tenant === 'accountProject' || tenant === 'organizationProject', 'tenant must be system, accountProject or organizationProject');
  const parts = id.split(':');
  require(parts.length === 2 && parts.every(isId), 'id must be two ids joined by a colon');
  return { tenant, id };
}

/**
 * Undefined for a scope of the project's own. Otherwise that of an organization that uses the
 * project: the signer asks whether it does.
 */
function usedScopeOf({ tenant, id }: UserScope, signingScope: ProjectScope): ProjectScope | undefined {
  const [parentId = '', projectId = ''] = id.split(':');
  const [, ownProjectId] = signingScope.id.split(':');
  require(tenant === `${signingScope.tenant}User` && projectId === ownProjectId, 'the scope must lie in the project');
  const scopeId = `${parentId}:${projectId}`;
  if (scopeId === signingScope.id) return undefined;
  require(signingScope.tenant === 'organizationProject', 'only the projects of organizations are used by others');
  return { tenant: 'organizationProject', id: scopeId };
}

const slugOfOrganization = /^[a-z0-9][a-z0-9-]{0,99}$/;

/** The organization that the person has chosen: the one of the scope. */
function organizationOf({ org_id: id, org_slug: slug }: Claims, scope: UserScope) {
  if (id === undefined && slug === undefined) return {};
  require(scope.tenant === 'organizationProjectUser' && id === scope.id.split(':')[0], 'org_id must be the organization of the scope');
  require(slug === undefined || (typeof slug === 'string' && slugOfOrganization.test(slug)), 'org_slug must be a slug');
  return { org_id: id, ...(slug === undefined ? {} : { org_slug: slug }) };
}

type UserScope = { readonly tenant: string; readonly id: string };

function ownScope(value: unknown, signingScope: ProjectScope, subject: string) {
  const scope = userScope(value, subject);
  require(scope.tenant === `${signingScope.tenant}User` &&
    scope.id === `${signingScope.id}:${subject}`, 'the scope must lie in the project');
  return scope;
}

function userScope(value: unknown, subject: string): UserScope {
  require(typeof value === 'object' && value !== null, 'scope is missing');
  const { tenant, id, ...rest } = value as Claims;
  require(Object.keys(rest).length === 0, 'scope has unknown members');
  require(tenant === 'accountProjectUser' || tenant === 'organizationProjectUser', 'the scope must be a user’s in a project');
  require(typeof id === 'string', 'scope.id is missing');
  const scope = { tenant, id };
  const parts = scope.id.split(':');
  require(parts.length === 3 && parts.every(isId) && parts[2] === subject, 'scope.id must end in the subject');
  return scope;
}

function parseClaims(json: string): Claims {
  try {
    const value: unknown = JSON.parse(json === '' ? '{}' : json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Claims;
  } catch {
    // Falls through: invalid JSON is refused like a value that is no object.
  }
  throw new BadTokenRequest('claims_json must be an object');
}

function only(claims: Claims, names: readonly string[]): void {
  const unknown = Object.keys(claims).find((name) => !names.includes(name));
  require(unknown === undefined, `the claim ${unknown} is not allowed here`);
}

function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BadTokenRequest(what);
}
