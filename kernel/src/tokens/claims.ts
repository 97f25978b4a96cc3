import { isId } from '../ids/index.ts';
import {
  isTokenScope,
  type Scope,
  type ServiceScope,
  serviceTenants,
  splitTokenScope,
  type TokenScope,
  tokenTenants,
} from '../scope/index.ts';
import { readSupport, type SupportClaims } from './support.ts';

export type Claims = {
  readonly sub: string;
  /** The first audience: the platform, or the client id of an app. */
  readonly aud: string;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly type: 'session' | 'apiKey' | 'projectApp';
  readonly scope?: TokenScope | ServiceScope;
  /** projectApp only: the permissions that the token may use. An empty list allows none. */
  readonly scopes?: readonly string[];
  readonly isVerified?: boolean;
  /** session only: the level and methods of the sign-in (RFC 8176), and its time in seconds. */
  readonly acr?: 'aal1' | 'aal2';
  readonly amr?: readonly string[];
  readonly auth_time?: number;
  /** Of apps: the API that the token is for, as its second audience (RFC 8707). */
  readonly resource?: string;
  /** Of apps: the key that the client proves at each use (`cnf.jkt`, RFC 9449). */
  readonly keyThumbprint?: string;
  /** session only: the identity provider of an organization by which it came. */
  readonly connection?: string;
  /** session only: whose provider that is, where `amr` says that it counts there alone. */
  readonly connectionOrganization?: string;
  /** Private claim of project API keys: the only role that counts. */
  readonly roleId?: string;
  /** Machine apps only: the client (RFC 9068 section 2.2). */
  readonly clientId?: string;
  /** Machine apps only: the token may name the scopes of organizations that use its project. */
  readonly actsInGrants?: boolean;
  /** Service accounts only, whose tokens are of type apiKey with a scope of their own. */
  readonly service?: ServiceClaims;
  /** projectApp only: the apps that act for the person by exchange (`act`), the newest first. */
  readonly actors?: readonly ActorClaims[];
  /** session only: a supporter acts as the person, as far as the organization has allowed. */
  readonly support?: SupportClaims;
};

/** One link of `act` (RFC 8693 section 4.1). */
export type ActorClaims = {
  readonly type: 'app';
  /** The app, and its client id. */
  readonly id: string;
  readonly clientId: string;
  /** Of a machine app: its role, and the project whose role it is. */
  readonly roleId?: string;
  readonly place?: Scope;
};
/** How many apps may act one behind the other. */
export const longestChain = 3;

export type ServiceClaims = {
  /** The credential (`cid`) and the state of the account (`gen`): either can be revoked. */
  readonly credentialId: string;
  readonly generation: string;
  /** Operations that need a fresh sign-in and that the account may do, as `Resource:Action`. */
  readonly elevated: readonly string[];
  /** Addresses and networks; left out: from everywhere. */
  readonly networks?: readonly string[];
};

/** What a caller is, by its token. */
export type HolderType = Claims['type'] | 'serviceAccount';
export function holderTypeOf({ type, service }: Pick<Claims, 'type' | 'service'>): HolderType {
  return service === undefined ? type : 'serviceAccount';
}

/**
 * The credential by which a token was got, the same in each token of it, so that a new token is no
 * new count: of a session and a key the token's own id, of an app that acts for a person both.
 */
export function credentialOf({ type, sub, jti, aud, clientId, service }: Claims): string {
  if (service !== undefined) return `serviceAccount:${service.credentialId}`;
  if (type === 'projectApp') return `projectApp:${aud}:${sub}`;
  return clientId === undefined ? `${type}:${jti}` : `app:${clientId}`;
}

/**
 * A machine app's token for another API (RFC 8707). Its role is not narrowed to what that API
 * serves, so it opens none of the platform's doors: the API may ask about it, and not act by it.
 */
export function isForAnotherApi({ type, resource }: Pick<Claims, 'type' | 'resource'>): boolean {
  return type === 'apiKey' && resource !== undefined;
}

/** The platform, whose key signs sessions, or a project, whose key signs the project's tokens. */
export type SigningScope = { readonly tenant: string; readonly id: string };

/** Thrown inside this room only; the client gets `unauthenticated`. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
}

export const refuseUnless: (holds: boolean, reason: string) => asserts holds = (holds, reason) => {
  if (!holds) throw new TokenRefusal(reason);
};

/** The issuer of a signing scope. The base URL comes from configuration, never from a header. */
export function issuerOf(appUrl: string, { tenant, id }: SigningScope): string {
  const [parent, project] = id.split(':');
  if (tenant === 'organizationProject') return `${appUrl}/org/${parent}/prj/${project}`;
  if (tenant === 'accountProject') return `${appUrl}/acc/${parent}/prj/${project}`;
  refuseUnless(tenant === 'system', 'signing scope');
  return appUrl;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
/**
 * One audience; of an app's token also its client id and a resource.
 */
function parseAudience({ aud, type, client_id: clientId }: Record<string, unknown>): Pick<Claims, 'aud' | 'resource'> {
  if (typeof aud === 'string' && aud !== '') return { aud };
  refuseUnless((type === 'projectApp' || type === 'apiKey') && isTexts(aud) && aud.length === 2, 'aud');
  const [client, resource] = aud;
  refuseUnless(client !== undefined && client !== '' && client === clientId && resource !== undefined && resource !== '', 'aud');
  return { aud: client, resource };
}

const thumbprint = /^[\w-]{43}$/;

/** A way of proving the key that we don't know must not pass as none (RFC 7800 section 3.1). */
function parseConfirmation(cnf: unknown): Pick<Claims, 'keyThumbprint'> {
  if (cnf === undefined) return {};
  refuseUnless(isRecord(cnf) && Object.keys(cnf).length === 1, 'cnf');
  const { jkt } = cnf;
  refuseUnless(typeof jkt === 'string' && thumbprint.test(jkt), 'cnf.jkt');
  return { keyThumbprint: jkt };
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

function parseTokenScope(value: unknown, sub: string): { tokenScope: TokenScope; project: Scope } {
  refuseUnless(isRecord(value) && typeof value['id'] === 'string', 'scope');
  const tenant = tokenTenants.find((candidate) => candidate === value['tenant']);
  refuseUnless(tenant !== undefined, 'scope.tenant');
  const tokenScope: TokenScope = Object.freeze({ tenant, id: value['id'] });
  const { scope, userId } = splitTokenScope(tokenScope);
  refuseUnless(userId === sub, 'scope of another user');
  return { tokenScope, project: scope };
}

/**
 * A project's key signs for its project, and for organizations that use the project: their scopes
 * end in its id. Whether an organization does use it is known to keys, which signs, and to rbac.
 */
function maySignFor(signer: SigningScope, project: Scope): boolean {
  if (project.tenant !== signer.tenant) return false;
  return project.id === signer.id || (signer.tenant === 'organizationProject' && projectIn(project.id) === projectIn(signer.id));
}

function projectIn(scopeId: string): string {
  return scopeId.slice(scopeId.indexOf(':') + 1);
}

/** The scope of a token in which an organization uses another's project; undefined otherwise. */
export function grantScopeOf({ type, scope }: Pick<Claims, 'type' | 'scope'>, signer: SigningScope): string | undefined {
  if (type === 'session' || scope === undefined || !isTokenScope(scope)) return undefined;
  const { id } = splitTokenScope(scope).scope;
  return id === signer.id ? undefined : id;
}

function parseServiceScope({ tenant: name, id }: Record<string, unknown>): ServiceScope | undefined {
  const tenant = serviceTenants.find((candidate) => candidate === name);
  if (tenant === undefined) return undefined;
  refuseUnless(typeof id === 'string' && (tenant === 'platform' ? id === '' : isId(id)), 'scope.id');
  return Object.freeze({ tenant, id });
}

function parseService({ cid, gen, elevated = [], networks }: Record<string, unknown>): ServiceClaims {
  refuseUnless(typeof cid === 'string' && isId(cid), 'cid');
  refuseUnless(typeof gen === 'string' && isId(gen), 'gen');
  refuseUnless(isTexts(elevated) && (networks === undefined || isTexts(networks)), 'elevated, networks');
  return Object.freeze({
    credentialId: cid,
    generation: gen,
    elevated: Object.freeze([...elevated]),
    ...(networks === undefined ? {} : { networks: Object.freeze([...networks]) }),
  });
}

/** The chain of `act`, outside in. A project's key names apps of its project. */
function parseActors(act: unknown, place: SigningScope): readonly ActorClaims[] {
  const actors: ActorClaims[] = [];
  for (let link = act; link !== undefined; ) {
    refuseUnless(isRecord(link) && actors.length < longestChain, 'act');
    const { sub: id, client_id: clientId, role_id: roleId, act: next } = link;
    refuseUnless(typeof id === 'string' && isId(id) && typeof clientId === 'string' && clientId !== '', 'act.sub, act.client_id');
    refuseUnless(roleId === undefined || (typeof roleId === 'string' && isId(roleId)), 'act.role_id');
    const tenant = projectTenants.find((name) => name === place.tenant);
    refuseUnless(tenant !== undefined, 'act is for projects');
    const role = typeof roleId === 'string' ? { roleId, place: Object.freeze({ tenant, id: place.id }) } : {};
    actors.push(Object.freeze({ type: 'app', id, clientId, ...role }));
    link = next;
  }
  return Object.freeze(actors);
}
const projectTenants = ['accountProject', 'organizationProject'] as const;

/** The frozen claims of a verified payload; refuses those that the signer's key may not sign. */
export function parseClaims(payload: unknown, signer: SigningScope): Claims {
  refuseUnless(isRecord(payload), 'payload');
  const { sub, iss, exp, iat, jti, type, scope, scopes, isVerified, roleId, acr, amr, auth_time, connection, actsInGrants } = payload;
  const clientId = payload['client_id'];
  const organization = payload['connection_organization'];
  refuseUnless(typeof sub === 'string' && isId(sub), 'sub');
  refuseUnless(typeof jti === 'string' && isId(jti), 'jti');
  refuseUnless(typeof iss === 'string', 'iss');
  const { aud, resource } = parseAudience(payload);
  const { keyThumbprint } = parseConfirmation(payload['cnf']);
  refuseUnless(isNumber(exp) && isNumber(iat) && exp > iat, 'exp, iat');
  // Ours have no nbf. Another's must not be accepted before that time (RFC 7519 section 4.1.5).
  refuseUnless(payload['nbf'] === undefined, 'nbf');
  refuseUnless(type === 'session' || type === 'apiKey' || type === 'projectApp', 'type');
  // The platform's key signs sessions, and service accounts' tokens by their scope alone.
  const serviceScope = type === 'apiKey' && signer.tenant === 'system' && isRecord(scope) ? parseServiceScope(scope) : undefined;
  const isOfPlatform = type === 'session' || serviceScope !== undefined;
  refuseUnless(isOfPlatform === (signer.tenant === 'system'), 'type is not for this key');
  const { cid, gen, elevated, networks } = payload;
  const service = serviceScope && parseService(payload);
  refuseUnless(service !== undefined || (cid ?? gen ?? elevated ?? networks) === undefined, 'cid, gen, elevated, networks');
  refuseUnless(type === 'projectApp' ? isTexts(scopes) : scopes === undefined, 'scopes');
  refuseUnless(type === 'session' ? typeof isVerified === 'boolean' : isVerified === undefined, 'isVerified');
  refuseUnless(type === 'session' || (acr ?? amr ?? auth_time) === undefined, 'acr, amr, auth_time');
  refuseUnless(connection === undefined || (type === 'session' && typeof connection === 'string' && isId(connection)), 'connection');
  refuseUnless(
    organization === undefined || (connection !== undefined && typeof organization === 'string' && isId(organization)),
    'connection_organization',
  );
  refuseUnless(acr === undefined || acr === 'aal1' || acr === 'aal2', 'acr');
  refuseUnless(
    roleId === undefined || (type === 'apiKey' && serviceScope === undefined && typeof roleId === 'string' && isId(roleId)),
    'roleId',
  );
  refuseUnless(actsInGrants === undefined || (actsInGrants === true && typeof roleId === 'string'), 'actsInGrants');
  refuseUnless(type === 'session' || scope !== undefined, 'scope');
  const { act } = payload;
  const isSupport = type === 'session' && (act ?? payload['support']) !== undefined;
  const support = isSupport ? readSupport(payload) : undefined;
  refuseUnless(!isSupport || support !== undefined, 'act, support');
  refuseUnless(isSupport || act === undefined || type === 'projectApp', 'act');
  refuseUnless(isSupport || payload['support'] === undefined, 'support');
  const parsed = scope === undefined || serviceScope !== undefined ? undefined : parseTokenScope(scope, sub);
  if (!isOfPlatform) refuseUnless(parsed !== undefined && maySignFor(signer, parsed.project), 'scope outside the project');
  return Object.freeze({
    sub,
    aud,
    iss,
    exp,
    iat,
    jti,
    type,
    ...(resource === undefined ? {} : { resource }),
    ...(keyThumbprint === undefined ? {} : { keyThumbprint }),
    ...(serviceScope === undefined ? {} : { scope: serviceScope }),
    ...(parsed === undefined ? {} : { scope: parsed.tokenScope }),
    ...(isTexts(scopes) ? { scopes: Object.freeze([...scopes]) } : {}),
    ...(typeof isVerified === 'boolean' ? { isVerified } : {}),
    ...(acr === undefined ? {} : { acr }),
    ...(isTexts(amr) ? { amr: Object.freeze([...amr]) } : {}),
    ...(isNumber(auth_time) ? { auth_time } : {}),
    ...(typeof connection === 'string' ? { connection } : {}),
    ...(typeof organization === 'string' ? { connectionOrganization: organization } : {}),
    ...(typeof roleId === 'string' ? { roleId } : {}),
    ...(type === 'apiKey' && typeof roleId === 'string' && typeof clientId === 'string' ? { clientId } : {}),
    ...(actsInGrants === true ? { actsInGrants } : {}),
    ...(service === undefined ? {} : { service }),
    ...(act === undefined || isSupport ? {} : { actors: parseActors(act, signer) }),
    ...(support === undefined ? {} : { support }),
  });
}
