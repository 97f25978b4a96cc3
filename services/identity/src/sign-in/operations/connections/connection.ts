/** The identity providers of an organization in the API, and the checks of their changes. */
import { failures } from '@tessera/kernel/errors';
import { assertReachable, PrivateAddress } from '@tessera/kernel/guard';
import {
  annotate,
  callerOf,
  entityFields,
  Id,
  Name,
  Nullable,
  type OperationContext,
  scopeOf,
  strict,
  type Target,
  Timestamp,
} from '@tessera/kernel/operation';
import { builtInRoleId, ownerRoleId } from '@tessera/proto/built-in-ids';
import Type, { type Static } from 'typebox';
import {
  connectionStatuses,
  connectionTypes,
  providerOfConnection,
  type ConnectionType as TypeName,
} from '../../../ground/domain/connection.ts';
import { wireScope, wireSubject } from '../../../people/operations/scoped-people.ts';
import { backchannelLogoutUrlOf, callbackOf } from '../../connections/openid-connection.ts';
import { samlAddressesOf } from '../../connections/saml/saml-connection.ts';
import type { SignInDeps } from '../../deps.ts';
import { findConnectionOf, type Connection as Row } from '../../storage/connections.ts';
import { ShownSaml, showSaml } from './saml-input.ts';

type Context = OperationContext<SignInDeps>;

export const connectionScopes = ['organization'] as const;

export const ConnectionType = Type.Enum([...connectionTypes], { graphqlType: 'ConnectionType' });

export const Connection = Type.Object({
  ...entityFields,
  type: ConnectionType,
  name: Type.String(),
  status: Type.Enum([...connectionStatuses]),
  oidc: Nullable(Type.Object({ issuer: Type.String(), clientId: Type.String(), scopes: Type.Array(Type.String()) })),
  saml: Nullable(ShownSaml),
  defaultRoleId: Id,
  roleMapping: Type.Array(Type.Object({ claim: Type.String(), value: Type.String(), roleId: Id, grantId: Nullable(Id) }), {
    description: 'Who has the value in the claim gets the role',
  }),
  isEnforced: Type.Boolean({ description: 'Members have to come by it; elsewhere they get 403 CONNECTION_REQUIRED' }),
  breakGlassUserIds: Type.Array(Id, { description: 'Owners who need not, with a second factor' }),
  enforcedAt: Nullable(Timestamp),
  linkOnProvenDomain: Type.Boolean({
    description:
      'An account that holds an address of a proven domain is linked without its person’s word; such a sign-in opens the organization alone',
  }),
  trustedAcr: Type.Array(Type.String(), { description: 'Values of acr that count as a second factor, in the organization alone' }),
  callbackUrl: Nullable(Type.String({ description: 'Of type oidc. Register it at the provider as the redirect URI' })),
  backchannelLogoutUrl: Nullable(
    Type.String({ description: 'Of type oidc. Register it there, so that a sign-out at the provider ends sessions here' }),
  ),
  spEntityId: Nullable(Type.String({ description: 'Of type saml: what we are called at the provider' })),
  acsUrl: Nullable(Type.String({ description: 'Of type saml: where the provider sends its answers' })),
  spMetadataUrl: Nullable(Type.String({ description: 'Of type saml: both, as metadata' })),
  signInUrl: Type.String({ description: 'Where people of the organization sign in' }),
  createdBy: Id,
  lastUsedAt: Nullable(annotate(Timestamp, { description: 'The last sign-in, to the minute' })),
  testedAt: Nullable(annotate(Timestamp, { description: 'The last test that passed; null once client, scopes or metadata have changed' })),
});
export type Connection = Static<typeof Connection>;

const Scope = Type.String({ minLength: 1, maxLength: 100, pattern: '^[!#-\\[\\]-~]+$' });

/** What a client may set and change. */
export const connectionFields = {
  name: Name,
  defaultRoleId: Id,
};
const MappedText = Type.String({ minLength: 1, maxLength: 500 });
export const RoleMappings = Type.Array(
  strict({ claim: MappedText, value: MappedText, roleId: Id, grantId: Type.Optional(Nullable(Id)) }, { graphqlType: 'RoleMappingInput' }),
  {
    maxItems: 100,
    description:
      'Who has the value in this claim (a text or a list of texts, compared exactly) gets the role at each sign-in: in the organization, or where it uses the project of the grant',
  },
);

/** Only an Owner sets them. */
export const enforcementFields = {
  isEnforced: Type.Boolean({ description: 'Members have to come by it. An Owner alone switches it on and off' }),
  breakGlassUserIds: Type.Array(Id, {
    maxItems: 5,
    uniqueItems: true,
    description: 'Owners with a second factor who come otherwise in an emergency; all Owners are told of it by mail',
  }),
};
/** Only an Owner sets them: they decide what the provider is believed. */
export const trustFields = {
  linkOnProvenDomain: Type.Boolean({
    description:
      'Link an existing account whose held address is in a proven domain, without its person’s word; never an Owner’s. An Owner alone switches it on',
  }),
  trustedAcr: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
    maxItems: 20,
    uniqueItems: true,
    description:
      'Exact values of acr (of SAML: AuthnContextClassRef) that count as the organization’s second factor. An Owner alone adds one',
  }),
};
/** Of type oidc. */
export const openidFields = {
  clientId: Type.String({ minLength: 1, maxLength: 500, examples: ['tessera'], description: 'As registered at the provider' }),
  clientSecret: Type.String({ minLength: 1, maxLength: 1_000, secret: true, description: 'Goes with it; never shown again' }),
  scopes: Type.Optional(
    Type.Array(Scope, {
      maxItems: 20,
      uniqueItems: true,
      description: 'Asked of the provider besides openid; email and profile when left out',
    }),
  ),
};
export const Oidc = strict(
  {
    issuer: Type.String({ minLength: 1, maxLength: 1_000, examples: ['https://login.example.com'], description: 'Never changes' }),
    ...openidFields,
  },
  { description: 'Of type oidc: how the provider is reached', graphqlType: 'ConnectionOidcInput' },
);
export const defaultScopes = ['email', 'profile'] as const;

export function organizationOf(context: Pick<Context, 'scope'>): string {
  return scopeOf(context).id;
}

export function toConnection(row: Row, { deps }: Pick<Context, 'deps'>): Connection {
  const { organizationId: _organization, clientSecret: _secret, sealedWith: _key, issuer, clientId, scopes, saml, ...rest } = row;
  const { defaultRoleBy: _by, isDefaultRoleByService: _byService, ...shown } = rest;
  const { appUrl } = deps.settings;
  const isSaml = row.type === 'saml';
  const addresses = isSaml ? samlAddressesOf(appUrl, row.id) : { acsUrl: null, spEntityId: null, spMetadataUrl: null };
  return {
    ...shown,
    roleMapping: shown.roleMapping.map(({ claim, value, roleId, grantId }) => ({ claim, value, roleId, grantId })),
    breakGlassUserIds: [...shown.breakGlassUserIds],
    trustedAcr: [...shown.trustedAcr],
    ...addresses,
    oidc: issuer === null || clientId === null ? null : { issuer, clientId, scopes: [...scopes] },
    saml: saml === null ? null : showSaml(saml),
    callbackUrl: isSaml ? null : callbackOf(appUrl, row.id),
    backchannelLogoutUrl: isSaml ? null : backchannelLogoutUrlOf(appUrl, row.id),
    signInUrl: `${appUrl}/api/auth/${providerOfConnection(row.id)}`,
  };
}

/** As conditions see it; undefined for one of another place. */
export async function targetOf({ id }: { readonly id: string }, context: Context): Promise<Target> {
  const row = await findConnectionOf(context.deps.database, organizationOf(context), id);
  return row && { id, name: row.name, createdBy: row.createdBy, createdAt: row.createdAt };
}

export async function requireConnection(id: string, context: Context): Promise<Row> {
  const row = await findConnectionOf(context.deps.database, organizationOf(context), id);
  if (row === undefined) throw failures.notFound('Connection');
  return row;
}

/** The issuer as it calls itself: an address without query and fragment that may be reached. */
export function readIssuer(issuer: string, { deps }: Pick<Context, 'deps'>): string {
  const wrong = () =>
    failures.validation('oidc.issuer', {
      en: 'must be the https address by which the provider calls itself, as in its discovery document',
      de: 'muss die https-Adresse sein, unter der sich der Anbieter selbst nennt, wie in seinem Discovery-Dokument',
    });
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '' || /[?#]/.test(issuer))
    throw wrong();
  try {
    assertReachable(url, deps.settings.allowPrivateAddresses);
  } catch (error) {
    throw error instanceof PrivateAddress ? wrong() : error;
  }
  return issuer;
}

type Parts = { readonly oidc: object | undefined; readonly saml: object | undefined };

/** Each type has its own part; a SAML connection may get its metadata later. */
export function assertOfType(type: TypeName, { oidc, saml }: Parts): void {
  if (type === 'oidc' && oidc === undefined)
    throw failures.validation('oidc', { en: 'is required for the type oidc', de: 'ist für den Typ oidc erforderlich' });
  const [field, other] = type === 'oidc' ? (['saml', saml] as const) : (['oidc', oidc] as const);
  if (other !== undefined) throw failures.validation(field, { en: `is not for the type ${type}`, de: `gilt nicht für den Typ ${type}` });
}

/** A role of the organization that the caller may give to a member, and not Owner. */
export async function assertDefaultRole(roleId: string, context: Context): Promise<void> {
  const { roles } = context.deps;
  const scope = wireScope(scopeOf(context));
  const actor = wireSubject(callerOf(context).subject);
  const [known, { verdicts }] = await Promise.all([
    roles.getRoles({ scope, roleIds: [roleId] }),
    roles.checkGrant({ actor, scope, roleIds: [roleId], givenTo: 'user' }),
  ]);
  const [role] = known.roles;
  if (role === undefined || verdicts.some(({ verdict }) => verdict === 'not-found')) throw failures.notFound('Role');
  if (role.isBuiltIn && (role.rank === undefined || role.rank <= 1))
    throw failures.validation('defaultRoleId', {
      en: 'must not be Owner: an identity provider makes nobody an Owner',
      de: 'darf nicht die Rolle Owner sein: Ein Identitätsanbieter macht niemanden zum Eigentümer',
    });
  if (verdicts.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}

/**
 * Asked where a change decides who may come by the connection: who comes gets its default role.
 * Viewer, which is given in place of a role that was deleted.
 */
export async function assertStillGives(roleId: string, context: Context): Promise<void> {
  const { roles } = await context.deps.roles.getRoles({ scope: wireScope(scopeOf(context)), roleIds: [roleId] });
  await assertDefaultRole(roles.length > 0 ? roleId : builtInRoleId('organization', organizationOf(context), 'Viewer'), context);
}

/** Only an Owner may give the role of an Owner. */
export async function isOwner(context: Context): Promise<boolean> {
  const roleIds = [ownerRoleId(organizationOf(context))];
  const actor = wireSubject(callerOf(context).subject);
  const { verdicts } = await context.deps.roles.checkGrant({ actor, scope: wireScope(scopeOf(context)), roleIds, givenTo: 'user' });
  return verdicts.length > 0 && verdicts.every(({ verdict }) => verdict === 'allowed');
}
