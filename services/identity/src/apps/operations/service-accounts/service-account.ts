/** Service accounts in the API, and the checks of their changes. */
import { failures, reasons } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import {
  callerOf,
  entityFields,
  freshnessOf,
  Id,
  Name,
  Nullable,
  type OperationContext,
  scopeOf,
  type Target,
  TextOf,
  Timestamp,
} from '@tessera/kernel/operation';
import type { Scope, ServiceScope } from '@tessera/kernel/scope';
import { areWithin, readNetwork } from '@tessera/kernel/tokens';
import Type, { type Static } from 'typebox';
import { wireScope, wireSubject } from '../../../people/operations/scoped-people.ts';
import type { AppsDeps } from '../../deps.ts';
import { elevatable } from '../../domain/elevated.ts';
import { errors } from '../../errors.ts';
import {
  type ServiceAccount as Account,
  findServiceAccount,
  listServiceCredentials,
  type ServiceAccountFields,
  type ServiceCredential,
} from '../../storage/service-accounts.ts';
import { JwksSchema } from '../openid-fields.ts';

type Context = OperationContext<AppsDeps>;

export const serviceTenants = ['organization', 'account'] as const;

/** What an assertion must say. */
export const Claims = Type.Record(Type.String(), Type.String(), { graphqlType: 'JSON' });

export const ServiceAccountCredential = Type.Object({
  id: Id,
  type: Type.Enum(['secret', 'directory', 'jwks', 'trust']),
  lastFour: Nullable(Type.String({ description: 'Of a secret or directory token' })),
  jwks: Nullable(JwksSchema),
  jwksUri: Nullable(Type.String({ description: 'Where the public keys are' })),
  issuer: Nullable(Type.String({ description: 'Whose assertions it trusts' })),
  audience: Nullable(Type.String({ description: 'For whom they must be' })),
  claims: Nullable(Claims),
  createdBy: Id,
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  lastUsedFrom: Nullable(Type.String({ description: 'The address' })),
});

export const ServiceAccount = Type.Object({
  ...entityFields,
  clientId: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  roleIds: Type.Array(Id),
  elevated: Type.Array(Type.String()),
  allowedNetworks: Type.Array(Type.String()),
  credentials: Type.Array(ServiceAccountCredential),
  createdBy: Id,
  isSuspended: Type.Boolean(),
  lastUsedAt: Nullable(Timestamp),
  lastUsedFrom: Nullable(Type.String()),
  lastUsedCredentialId: Nullable(Id),
});
export type ServiceAccount = Static<typeof ServiceAccount>;

/** What a client may set. An update keeps omitted fields. */
export const serviceFields = {
  name: Name,
  description: Nullable(TextOf(1_000)),
  roleIds: Type.Array(Id, { maxItems: 20, uniqueItems: true, description: 'Roles of the scope that the caller may give; never Owner' }),
  elevated: Type.Array(Type.Enum([...elevatable], { graphqlType: 'String' }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Operations that need a fresh sign-in and that it may do, by their permission. Naming one needs a fresh sign-in',
  }),
  allowedNetworks: Type.Array(Type.String({ minLength: 2, maxLength: 50 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Addresses, or networks as in 203.0.113.0/24; empty: from everywhere',
  }),
};

/** Where service accounts of this request belong. */
export function serviceScopeOf(context: Pick<Context, 'scope'>): ServiceScope {
  const { tenant, id } = scopeOf(context);
  if (tenant !== 'organization' && tenant !== 'account') throw failures.validation('scope.tenant', reasons.oneOf(serviceTenants));
  return { tenant, id };
}

/** As conditions see it; undefined for one of another place. */
export async function targetOf({ id }: { readonly id: string }, context: Context): Promise<Target> {
  const account = await findServiceAccount(context.deps.database, serviceScopeOf(context), id);
  return account && { id, name: account.name, createdBy: account.createdBy, createdAt: account.createdAt };
}

export async function requireServiceAccount(id: string, context: Context): Promise<Account> {
  const account = await findServiceAccount(context.deps.database, serviceScopeOf(context), id);
  if (account === undefined) throw failures.notFound('ServiceAccount');
  return account;
}

export type Shown = { readonly account: Account; readonly credentials: readonly ServiceCredential[] };

export async function credentialsOf(reader: Parameters<typeof listServiceCredentials>[0], accounts: readonly Account[]): Promise<Shown[]> {
  const credentials = await listServiceCredentials(
    reader,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => ({ account, credentials: credentials.get(account.id) ?? [] }));
}

export function toServiceAccount({ account, credentials }: Shown, roleIds: readonly string[]): ServiceAccount {
  const { scope: _scope, generation: _generation, elevated, allowedNetworks, ...shown } = account;
  return {
    ...shown,
    clientId: account.id,
    roleIds: [...roleIds],
    elevated: [...elevated],
    allowedNetworks: [...allowedNetworks],
    credentials: credentials.map(toCredential),
  };
}

export function toCredential({ jwks, claims, ...credential }: ServiceCredential): Static<typeof ServiceAccountCredential> {
  return { ...credential, jwks: jwks && { keys: [...jwks.keys] }, claims: claims && { ...claims } };
}

/** The roles that these service accounts have, by id. rbac knows them. */
export async function rolesOf(ids: readonly string[], { deps, ...context }: Context): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const { subjects } = await deps.roles.listSubjectRoles({ scope: wireScope(scopeOf(context)), userIds: [...ids] });
  return new Map(subjects.map(({ userId, roles }) => [userId, roles.map(({ id }) => id)]));
}

/** Every row with its roles. */
export async function withRoles(shown: readonly Shown[], context: Context): Promise<ServiceAccount[]> {
  const roles = await rolesOf(
    shown.map(({ account }) => account.id),
    context,
  );
  return shown.map((one) => toServiceAccount(one, roles.get(one.account.id) ?? []));
}

/** 400 for the first text that is no network. */
export function assertNetworks(networks: readonly string[]): void {
  const wrong = networks.findIndex((network) => readNetwork(network) === undefined);
  if (wrong === -1) return;
  throw failures.validation(`allowedNetworks.${wrong}`, {
    en: 'must be an address or a network such as 203.0.113.0/24',
    de: 'muss eine Adresse oder ein Netz wie 203.0.113.0/24 sein',
  });
}

export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** Refuses networks that are none or wider than the caller’s, and roles that it may not give. */
export async function assertServiceAccount(
  { allowedNetworks = [] }: Partial<ServiceAccountFields>,
  roleIds: readonly string[],
  context: Context,
): Promise<void> {
  assertNetworks(allowedNetworks);
  const { claims } = callerOf(context);
  const bounds = claims.service?.networks ?? [];
  if (bounds.length > 0 && (allowedNetworks.length === 0 || !areWithin(bounds, allowedNetworks))) throw errors.outsideNetworks();
  await assertMayGive(roleIds, context);
}

/**
 * Refuses who may not give all roles that the account has, for who could direct an account of more
 * would get its rights. Also those that rbac is yet to hear of, or still knows. Returns the roles
 * that it has.
 */
export async function assertMayDirect({ id, roleIds }: Account, context: Context): Promise<readonly string[]> {
  const held = (await rolesOf([id], context)).get(id) ?? [];
  const awaited = (roleIds ?? []).filter((roleId) => !held.includes(roleId));
  await assertMayGive([...held, ...(await existing(awaited, context))], context);
  return held;
}

/** A role that was deleted after it was given gives nothing. */
async function existing(roleIds: readonly string[], { deps, ...context }: Context): Promise<readonly string[]> {
  if (roleIds.length === 0) return [];
  const known = await deps.roles.getRoles({ scope: wireScope(scopeOf(context)), roleIds: [...roleIds] });
  return known.roles.map(({ id }) => id);
}

/** Roles of the scope, within what the caller may give to a member. */
async function assertMayGive(roleIds: readonly string[], context: Context): Promise<void> {
  if (roleIds.length === 0) return;
  const { roles } = context.deps;
  const scope = wireScope(scopeOf(context));
  const actor = wireSubject(callerOf(context).subject);
  const [known, { verdicts }] = await Promise.all([
    roles.getRoles({ scope, roleIds: [...roleIds] }),
    roles.checkGrant({ actor, scope, roleIds: [...roleIds], givenTo: 'serviceAccount' }),
  ]);
  const isMissing = (roleId: string) => !known.roles.some(({ id }) => id === roleId);
  if (roleIds.some(isMissing) || verdicts.some(({ verdict }) => verdict === 'not-found')) throw failures.notFound('Role');
  // Owner, and the role of an account's owner: they are for people.
  const isForPeople = ({ isBuiltIn, isForMachines = false, rank = 1 }: (typeof known.roles)[number]) =>
    isBuiltIn && !isForMachines && rank <= 1;
  if (known.roles.some(isForPeople)) throw errors.ownerIsAPerson();
  if (verdicts.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}

const freshMinutes = 10;

/** What may do elevated operations is made and changed by a person who has just signed in. */
export function assertFresh(permission: string, { now, ...context }: Context): void {
  const { claims } = callerOf(context);
  if (claims.service !== undefined) {
    if (!claims.service.elevated.includes(permission)) throw failures.notElevated();
    return;
  }
  const { type, auth_time: authTime = 0, amr = [] } = claims;
  if (type !== 'session') throw failures.forbidden();
  if (amr.includes('org') || now.getTime() / 1_000 - authTime > freshMinutes * 60) throw failures.freshSignInRequired();
}

/**
 * Each elevated operation lies within the roles, else 400. A service account names none that it may
 * not do itself.
 */
export async function assertElevated(elevated: readonly string[], roleIds: readonly string[], context: Context): Promise<void> {
  if (elevated.length === 0) return;
  const { claims } = callerOf(context);
  const { service } = claims;
  if (service !== undefined && elevated.some((name) => !service.elevated.includes(name))) throw failures.notElevated();
  const { tenant, id } = scopeOf(context);
  const scope: Scope = { tenant, id };
  const checks = elevated.flatMap((name) => {
    const [resource = '', action = ''] = name.split(':');
    return roleIds.map((roleId) => ({
      subject: { type: 'session', userId: newId(), tokenId: '', roleId } as const,
      scope,
      resource,
      action,
    }));
  });
  const decisions = checks.length === 0 ? [] : await context.deps.authorizer.check(checks, freshnessOf(context));
  const outside = elevated.findIndex((_, place) =>
    roleIds.every((__, role) => (decisions[place * roleIds.length + role]?.reason ?? none) === none),
  );
  if (outside !== -1)
    throw failures.validation(`elevated.${outside}`, { en: 'is given by none of its roles', de: 'gibt ihm keine seiner Rollen' });
}
const none = 'NO_MATCHING_PERMISSION_FOUND';
