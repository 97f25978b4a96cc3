import { TokenRefused } from './errors.ts';

export type TokenType = 'session' | 'apiKey' | 'projectApp';

/** `organization`: of a service account, which acts in all of it. */
export type TokenScope = { readonly tenant: 'accountProjectUser' | 'organizationProjectUser' | 'organization'; readonly id: string };

/** An app that acts for the person of a token. `roleId`: of a machine app. */
export type Actor = { readonly id: string; readonly clientId: string; readonly roleId?: string };

/** The claims of a valid token. */
export type Claims = {
  readonly sub: string;
  /** The first audience: the base URL, or the client id of the app that got the token. */
  readonly aud: string;
  /** Of apps: the API that the token is for, its second audience (RFC 8707). */
  readonly resource?: string;
  /** Of apps: the key that the caller proves at each use (RFC 9449): give `verify` the proof. */
  readonly keyThumbprint?: string;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly type: TokenType;
  readonly scope?: TokenScope;
  readonly scopes?: readonly string[];
  readonly isVerified?: boolean;
  readonly roleId?: string;
  /** Of tokens that an app got: its client id. */
  readonly clientId?: string;
  /**
   * Of tokens by token exchange (`act` of RFC 8693): the apps that act for the person of `sub`, the
   * newest first, three at most. The newest is the app of `clientId`. Refuse what a person alone
   * may do when it is there.
   */
  readonly actors?: readonly Actor[];
  /** Of tokens in an organization's project: the organization for which the caller acts. */
  readonly org_id?: string;
  /** Its slug when the token was made, where an app's sign-in named the organization. */
  readonly org_slug?: string;
  /** Of tokens of an API key: the key. `sub` is the person who made it. */
  readonly keyId?: string;
  /** Of tokens of a service account, which is `sub`: the credential by which it got the token. */
  readonly credentialId?: string;
  /** Of a service account: the networks from which it may be used; left out: from everywhere. */
  readonly networks?: readonly string[];
};

/** Who acts: a person, an API key, a machine app or a service account. */
export type Subject = { readonly type: 'user' | 'apiKey' | 'app' | 'serviceAccount'; readonly id: string };

/**
 * Who is calling. Not `sub` alone: in a key's token `sub` is the person who made the key, so two
 * keys of one person would look like one, and a program like a person. AuthZEN's subject has the
 * same type and id.
 */
export function subjectOf({ type, sub, keyId, credentialId }: Pick<Claims, 'type' | 'sub' | 'keyId' | 'credentialId'>): Subject {
  if (type !== 'apiKey') return { type: 'user', id: sub };
  if (credentialId !== undefined) return { type: 'serviceAccount', id: sub };
  return keyId === undefined ? { type: 'app', id: sub } : { type: 'apiKey', id: keyId };
}

export type ClaimRules = { readonly types: ReadonlySet<TokenType>; readonly latestIssuedAt: number };

/**
 * The platform's own rules, for a payload whose signature, issuer, audience and times jose has
 * checked.
 */
export function checkClaims(payload: Readonly<Record<string, unknown>>, { types, latestIssuedAt }: ClaimRules): Claims {
  const claims = shape(payload);
  if (claims.iat > latestIssuedAt) throw new TokenRefused('not-yet-valid');
  if (claims.exp <= claims.iat) throw new TokenRefused('claims');
  if (!types.has(claims.type)) throw new TokenRefused('type');
  checkIssuerMaySign(claims);
  return Object.freeze(claims);
}

function shape(payload: Readonly<Record<string, unknown>>): Claims {
  const { scope: givenScope, scopes, isVerified, roleId, client_id: clientId, org_slug: slug, cid: credentialId, networks } = payload;
  const scope = givenScope === undefined ? undefined : tokenScope(givenScope);
  const isOfOrganization = payload['type'] !== 'session' && scope?.tenant === 'organizationProjectUser';
  const isOfService = scope?.tenant === 'organization';
  if (isOfService !== (credentialId !== undefined) || (networks !== undefined && !isOfService)) throw new TokenRefused('scope');
  const organizationId = isOfOrganization || isOfService ? scope.id.split(':')[0] : undefined;
  if (payload['org_id'] !== undefined && payload['org_id'] !== organizationId) throw new TokenRefused('scope');
  // A machine app's token is of type apiKey too, and names its client.
  const isOfKey = payload['type'] === 'apiKey' && clientId === undefined;
  if (isVerified !== undefined && typeof isVerified !== 'boolean') throw new TokenRefused('claims');
  return {
    sub: text(payload['sub']),
    ...audienceOf(payload),
    ...confirmationOf(payload['cnf']),
    iss: text(payload['iss']),
    exp: seconds(payload['exp']),
    iat: seconds(payload['iat']),
    jti: text(payload['jti']),
    type: tokenType(payload['type']),
    ...(scope === undefined ? {} : { scope }),
    ...(organizationId === undefined ? {} : { org_id: organizationId }),
    ...(slug === undefined ? {} : { org_slug: text(slug) }),
    ...(scopes === undefined ? {} : { scopes: textList(scopes) }),
    ...(isVerified === undefined ? {} : { isVerified }),
    ...(roleId === undefined ? {} : { roleId: text(roleId) }),
    ...(clientId === undefined ? {} : { clientId: text(clientId) }),
    ...(payload['act'] === undefined ? {} : { actors: actorsOf(payload) }),
    ...(credentialId === undefined ? {} : { credentialId: text(credentialId) }),
    ...(networks === undefined ? {} : { networks: textList(networks) }),
    ...(isOfKey ? { keyId: text(payload['jti']) } : {}),
  };
}

/** One, or the client id of the app and the API that the token is for. */
function audienceOf({ aud, type, client_id: clientId }: Readonly<Record<string, unknown>>): Pick<Claims, 'aud' | 'resource'> {
  if (!Array.isArray(aud)) return { aud: text(aud) };
  if (type === 'session' || aud.length !== 2 || aud[0] !== clientId) throw new TokenRefused('audience');
  return { aud: text(aud[0]), resource: text(aud[1]) };
}

const longestChain = 3;

/** Outside in. Each app acts once, and the newest has got the token. */
function actorsOf({ act, type, client_id: clientId }: Readonly<Record<string, unknown>>): readonly Actor[] {
  const actors: Actor[] = [];
  for (let link = act; link !== undefined; ) {
    if (typeof link !== 'object' || link === null || Array.isArray(link) || actors.length === longestChain)
      throw new TokenRefused('claims');
    const { sub, client_id: client, role_id: roleId, act: before } = link as Readonly<Record<string, unknown>>;
    const role = roleId === undefined ? {} : { roleId: text(roleId) };
    actors.push(Object.freeze({ id: text(sub), clientId: text(client), ...role }));
    link = before;
  }
  const isOnce = new Set(actors.map(({ id }) => id)).size === actors.length;
  if (type !== 'projectApp' || actors[0]?.clientId !== clientId || !isOnce) throw new TokenRefused('claims');
  return Object.freeze(actors);
}

/** A way of proving the key that is not known here must not pass as none (RFC 7800 section 3.1). */
function confirmationOf(cnf: unknown): Pick<Claims, 'keyThumbprint'> {
  if (cnf === undefined) return {};
  const { jkt, ...others } = typeof cnf === 'object' && cnf !== null ? (cnf as Readonly<Record<string, unknown>>) : {};
  if (Object.keys(others).length > 0) throw new TokenRefused('claims');
  return { keyThumbprint: text(jkt) };
}

const scopeIds = /^([0-9a-f-]{36}):([0-9a-f-]{36}):([^:]+)$/;
const projectIssuer = /\/(org|acc)\/([0-9a-f-]{36})\/prj\/([0-9a-f-]{36})$/;

/**
 * A project's key signs for its own project, and for organizations that use it, whose scopes end in
 * its id; never a session. The platform's key signs sessions, and tokens of service accounts by
 * their scope alone. Without this check the key of
 * one project could sign tokens for all others (RFC 8725 section 2.7).
 */
function checkIssuerMaySign(claims: Claims): void {
  const project = projectIssuer.exec(claims.iss);
  const isOfPlatform = claims.type === 'session' || (claims.type === 'apiKey' && claims.scope?.tenant === 'organization');
  if ((project === null) !== isOfPlatform) throw new TokenRefused('issuer');
  if (claims.scope?.tenant === 'organization' && (claims.type !== 'apiKey' || claims.roleId !== undefined)) throw new TokenRefused('scope');
  if ((claims.type === 'projectApp') !== (claims.scopes !== undefined)) throw new TokenRefused('scope');
  if (project === null) return;
  const tenant = project[1] === 'org' ? 'organizationProjectUser' : 'accountProjectUser';
  const [, parentId, projectId, userId] = scopeIds.exec(claims.scope?.id ?? '') ?? [];
  const isInProject = claims.scope?.tenant === tenant && projectId === project[3] && userId === claims.sub;
  const isOwn = parentId === project[2] || tenant === 'organizationProjectUser';
  if (!isInProject || !isOwn) throw new TokenRefused('scope');
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value.length === 0) throw new TokenRefused('claims');
  return value;
}

function seconds(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(Math.floor(value)) || value < 0) throw new TokenRefused('claims');
  return value;
}

function tokenType(value: unknown): TokenType {
  if (value === 'session' || value === 'apiKey' || value === 'projectApp') return value;
  throw new TokenRefused('type');
}

function tokenScope(value: unknown): TokenScope {
  if (typeof value !== 'object' || value === null) throw new TokenRefused('scope');
  const { tenant, id } = value as { readonly tenant?: unknown; readonly id?: unknown };
  // Service accounts of an account or of the platform act in no organization.
  if (tenant !== 'accountProjectUser' && tenant !== 'organizationProjectUser' && tenant !== 'organization') throw new TokenRefused('scope');
  return { tenant, id: text(id) };
}

function textList(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new TokenRefused('scope');
  return Object.freeze(value.map(text));
}
