/** The identity providers of an organization in the API, and the checks of their changes. */
import { failures } from '@tessera/kernel/errors';
import { assertReachable, PrivateAddress } from '@tessera/kernel/guard';
import {
  callerOf,
  entityFields,
  Id,
  Name,
  Nullable,
  type OperationContext,
  scopeOf,
  type Target,
  Timestamp,
} from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { connectionStatuses } from '../../../ground/domain/connection.ts';
import { wireScope, wireSubject } from '../../../people/operations/scoped-people.ts';
import { callbackOf } from '../../connections/openid-connection.ts';
import type { SignInDeps } from '../../deps.ts';
import { findConnectionOf, type Connection as Row } from '../../storage/connections.ts';

type Context = OperationContext<SignInDeps>;

export const connectionScopes = ['organization'] as const;

export const Connection = Type.Object({
  ...entityFields,
  type: Type.Enum(['oidc'], { graphqlType: 'ConnectionType' }),
  name: Type.String(),
  status: Type.Enum([...connectionStatuses]),
  issuer: Type.String(),
  clientId: Type.String(),
  scopes: Type.Array(Type.String()),
  defaultRoleId: Id,
  callbackUrl: Type.String({ description: 'Register it at the provider as the redirect URI' }),
  signInUrl: Type.String({ description: 'Where people of the organization sign in' }),
  createdBy: Id,
  lastUsedAt: Nullable(Timestamp),
});
export type Connection = Static<typeof Connection>;

const Scope = Type.String({ minLength: 1, maxLength: 100, pattern: '^[!#-\\[\\]-~]+$' });

/** What a client may set and change. */
export const connectionFields = {
  name: Name,
  clientId: Type.String({ minLength: 1, maxLength: 500, examples: ['tessera'], description: 'As registered at the provider' }),
  clientSecret: Type.String({ minLength: 1, maxLength: 1_000, secret: true, description: 'Goes with it; never shown again' }),
  defaultRoleId: Id,
};
export const Scopes = Type.Array(Scope, { maxItems: 20, uniqueItems: true, description: 'Asked of the provider besides openid' });

export function organizationOf(context: Pick<Context, 'scope'>): string {
  return scopeOf(context).id;
}

export function toConnection(row: Row, { deps }: Pick<Context, 'deps'>): Connection {
  const { organizationId: _organization, clientSecret: _secret, sealedWith: _key, scopes, ...shown } = row;
  const { appUrl } = deps.settings;
  const callbackUrl = callbackOf(appUrl, row.id);
  return { ...shown, type: 'oidc', scopes: [...scopes], callbackUrl, signInUrl: callbackUrl.slice(0, -'/callback'.length) };
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
    failures.validation('issuer', {
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
      de: 'darf nicht Eigentümer sein: Ein Identitätsanbieter macht niemanden zum Eigentümer',
    });
  if (verdicts.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}
