/** The fields of apps that are OpenID clients, and the checks of their changes. */

import { failures } from '@tessera/kernel/errors';
import { assertReachable, PrivateAddress } from '@tessera/kernel/guard';
import { annotate, callerOf, Id, NameOf, Nullable, type OperationContext, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import { appTypes, authMethods, grantTypes, idTokenAlgorithms } from '@tessera/rules/app-types';
import { type ClaimMapping, claimFault, claimPlaces, metadataPath, mostClaims } from '@tessera/rules/claims';
import Type, { type TSchema } from 'typebox';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { mayAlso, wireScope, wireSubject } from '../../people/operations/scoped-people.ts';
import type { AppsDeps } from '../deps.ts';
import { clientFault, redirectFaultOf } from '../domain/openid-client.ts';
import { jwksFault } from '../domain/public-keys.ts';
import { isOwnAddress } from '../domain/redirect-uri.ts';
import { errors } from '../errors.ts';
import { type AppFields, findTypedApp } from '../storage/project-apps.ts';

type Context = OperationContext<AppsDeps>;

const Address = Type.String({ minLength: 1, maxLength: 2_000 });
export const AppType = Type.Enum([...appTypes]);
export const JwksSchema = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
  { graphqlType: 'JSON' },
);

const Claim = Type.Object({
  name: annotate(NameOf(100), { examples: ['plan'] }),
  source: Type.String({
    minLength: 1,
    maxLength: 200,
    examples: ['grant.metadata.plan'],
    description:
      'roles, organization.name, organization.slug, user.name, or a key below grant.metadata., user.metadata. or member.metadata.',
  }),
  in: Type.Enum([...claimPlaces], { graphqlType: 'String' }),
});

/** As answers show them. */
export const shownOpenidFields = {
  type: Nullable(AppType),
  tokenEndpointAuthMethod: Nullable(Type.Enum([...authMethods])),
  jwks: Nullable(JwksSchema),
  jwksUri: Nullable(Type.String()),
  postLogoutRedirectUris: Type.Array(Type.String()),
  backchannelLogoutUri: Nullable(Type.String()),
  grantTypes: Type.Array(Type.Enum([...grantTypes])),
  roleId: Nullable(Id),
  isFirstParty: Type.Boolean(),
  requireSecondFactor: Type.Boolean(),
  requirePkce: Type.Boolean(),
  actsInGrants: Type.Boolean(),
  allowOrganizationSignUp: Type.Boolean(),
  allowEmailCode: Type.Boolean(),
  dpopBoundAccessTokens: Type.Boolean(),
  idTokenSignedResponseAlg: Type.Enum([...idTokenAlgorithms], { graphqlType: 'String' }),
  mayAct: Type.Array(Type.String()),
  claims: Type.Array(Claim),
  leftOutClaims: Nullable(
    Type.Object(
      { names: Type.Array(Type.String()), at: Timestamp },
      { description: 'Claims that a token had no room for, and when; null since the claims were changed' },
    ),
  ),
};

/** The type besides, at creation only: it never changes. */
export const openidFields = {
  tokenEndpointAuthMethod: Type.Enum([...authMethods]),
  jwks: rarely(JwksSchema),
  jwksUri: rarely(Address),
  postLogoutRedirectUris: Type.Array(Address, { maxItems: 20, uniqueItems: true }),
  backchannelLogoutUri: rarely(Address),
  grantTypes: Type.Array(Type.Enum([...grantTypes], { graphqlType: 'String' }), { minItems: 1, uniqueItems: true }),
  roleId: rarely(annotate(Id, { description: 'Required for a machine app' })),
  isFirstParty: Type.Boolean({ description: 'By Owners and Admins only' }),
  requireSecondFactor: Type.Boolean(),
  requirePkce: Type.Boolean({
    examples: [true],
    description: 'False for type web only: a request without PKCE then needs the scope openid and a nonce',
  }),
  actsInGrants: Type.Boolean({
    examples: [false],
    description: 'For type machine only: its token may name the scope of an organization that uses the project',
  }),
  allowOrganizationSignUp: Type.Boolean({
    examples: [false],
    description: 'By Owners and Admins, in a project of an organization: who has no organization that uses it may make one as they sign in',
  }),
  allowEmailCode: Type.Boolean({ examples: [true], description: 'Whether people may sign in to it by a code that is mailed to them' }),
  dpopBoundAccessTokens: Type.Boolean({
    examples: [false],
    description: 'Its access tokens are bound to a key of the client (DPoP, RFC 9449): a token request without a proof is refused',
  }),
  idTokenSignedResponseAlg: Type.Enum([...idTokenAlgorithms], {
    graphqlType: 'String',
    examples: ['RS256'],
    description: 'How its ID tokens and logout tokens are signed; access tokens are always RS256',
  }),
  mayAct: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: 20,
    uniqueItems: true,
    examples: [[]],
    description: 'Client ids of web and machine apps of the project that may exchange tokens of this app, to act for its people',
  }),
  claims: Type.Array(strict(Claim.properties, { graphqlType: 'ProjectAppClaimInput' }), {
    maxItems: mostClaims,
    examples: [[]],
    description: 'Claims besides the standard ones, outside the reserved names; together at most 4 kB in a token',
  }),
};

/** Null in examples: only some apps may have it. */
function rarely<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], { examples: [null] });
}

/**
 * Who may get tokens for the app, and what these may do: who sets one of them vouches for the app.
 */
export const directingFields = [
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'grantTypes',
  'roleId',
  'requirePkce',
  'actsInGrants',
  'allowOrganizationSignUp',
  'dpopBoundAccessTokens',
  'mayAct',
  'claims',
] as const;

/** Refuses fields that the app's type cannot have, and addresses that it must not have. */
export function assertClient(app: Pick<ProjectApp, 'type'> & AppFields, changed: Partial<AppFields>, { deps }: Context): void {
  const fault = clientFault(app);
  if (fault !== undefined) throw failures.validation(fault.field, fault);
  for (const field of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    changed[field]?.forEach((address, index) => {
      const reason = redirectFaultOf(app.type, address) ?? (isOwnAddress(address, deps.settings) ? 'ownOperation' : undefined);
      if (reason !== undefined) throw errors.redirectUri({ extensions: { field: `${field}.${index}`, reason } });
    });
  }
  for (const field of ['jwksUri', 'backchannelLogoutUri'] as const) assertFetched(field, changed[field], deps);
  if (changed.claims !== undefined) assertClaims(changed.claims);
  const keyFault = changed.jwks ? jwksFault(changed.jwks) : undefined;
  if (keyFault !== undefined) throw failures.validation(`jwks.keys.${keyFault.index}`, keyFault);
}

const claimFaults = {
  shape: {
    en: 'must be a word of letters, digits and _ . -, or an https address',
    de: 'muss ein Wort aus Buchstaben, Ziffern und _ . - oder eine https-Adresse sein',
  },
  reserved: { en: 'is a reserved name', de: 'ist ein reservierter Name' },
  source: { en: 'is no source of a claim', de: 'ist keine Quelle eines Claims' },
  repeated: { en: 'is there twice', de: 'kommt zweimal vor' },
} as const;

/** One name has one source in each place. */
function assertClaims(claims: readonly ClaimMapping[]): void {
  claims.forEach((claim, index) => {
    const isRepeated = claims.findIndex(({ name, in: place }) => name === claim.name && place === claim.in) !== index;
    const fault = claimFault(claim) ?? (isRepeated ? 'repeated' : undefined);
    if (fault !== undefined) throw failures.validation(`claims.${index}.${fault === 'source' ? 'source' : 'name'}`, claimFaults[fault]);
  });
}

/**
 * An app shows its people what a claim has, so who sets one must be allowed to read it: the terms
 * of customers, and what is written of people.
 */
export async function assertMayReadSources(claims: readonly ClaimMapping[], context: Context): Promise<void> {
  const read = new Set(claims.map(({ source }) => metadataPath(source)?.of));
  if (read.has('grant') && !(await mayAlso({ resource: 'ProjectGrant', action: 'Query' }, context))) throw failures.forbidden();
  if ((read.has('user') || read.has('member')) && !(await mayAlso({ resource: 'User', action: 'Query' }, context)))
    throw failures.forbidden();
}

/** Refuses an address that must not be asked: one on a private network, or without https. */
export function assertFetched(field: string, address: string | null | undefined, { settings }: Context['deps']): void {
  if (address === null || address === undefined) return;
  const schemes = settings.allowPrivateAddresses ? ['https:', 'http:'] : ['https:'];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && !address.includes('#');
  if (!isPlain || !schemes.includes(url.protocol))
    throw failures.validation(field, { en: 'must be an https address', de: 'muss eine https-Adresse sein' });
  try {
    assertReachable(url, settings.allowPrivateAddresses);
  } catch (error) {
    if (!(error instanceof PrivateAddress)) throw error;
    throw failures.validation(field, {
      en: 'must be an address on the public internet',
      de: 'muss eine Adresse im öffentlichen Internet sein',
    });
  }
}

/** An app without consent page is set up, and from then on directed, by Owners and Admins only. */
export async function assertMayBeFirstParty({ isFirstParty }: Pick<AppFields, 'isFirstParty'>, context: Context): Promise<void> {
  // Owners and Admins alone hold this action.
  if (isFirstParty && !(await mayAlso({ resource: 'User', action: 'ExportData' }, context))) throw failures.forbidden();
}

/** Each sign-up gives the project to one more organization, so it needs the right to do that. */
export async function assertMayTakeOrganizations(
  { allowOrganizationSignUp }: Pick<AppFields, 'allowOrganizationSignUp'>,
  context: Context,
): Promise<void> {
  if (!allowOrganizationSignUp) return;
  if (scopeOf(context).tenant !== 'organizationProject')
    throw failures.validation('allowOrganizationSignUp', {
      en: 'is only for projects of an organization',
      de: 'gilt nur für Projekte einer Organisation',
    });
  if (!(await mayAlso({ resource: 'ProjectGrant', action: 'Create' }, context))) throw failures.forbidden();
}

/** Each is a web or machine app of the project: without a secret none shows that it is the one. */
export async function assertMayAct(mayAct: readonly string[], context: Context): Promise<void> {
  if (mayAct.length === 0) return;
  const { id, tenant } = scopeOf(context);
  const apps = await Promise.all(mayAct.map((clientId) => findTypedApp(context.deps.database, clientId)));
  const isAllowed = (app: (typeof apps)[number]) =>
    app !== undefined && app.scope.tenant === tenant && app.scope.id === id && (app.type === 'web' || app.type === 'machine');
  const unknown = apps.findIndex((app) => !isAllowed(app));
  if (unknown === -1) return;
  throw failures.validation(`mayAct.${unknown}`, {
    en: 'is no client id of a web or machine app of this project',
    de: 'ist keine Client-ID einer Anwendung vom Typ web oder machine in diesem Projekt',
  });
}

/** A role that the caller may give to a key: the rule of API keys, no escalation. */
export async function assertMachineRole(roleId: string | null, context: Context): Promise<void> {
  if (roleId === null) return;
  const actor = wireSubject(callerOf(context).subject);
  const request = { actor, scope: wireScope(scopeOf(context)), roleIds: [roleId], givenTo: 'key' };
  const { verdicts } = await context.deps.roles.checkGrant(request);
  const verdict = verdicts.find((found) => found.roleId === roleId)?.verdict ?? 'not-found';
  if (verdict === 'not-found')
    throw failures.validation('roleId', { en: 'is no role of this project', de: 'ist keine Rolle dieses Projekts' });
  if (verdict !== 'allowed') throw failures.forbidden();
}
