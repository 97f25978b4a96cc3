/**
 * The relations of users in a scope. One batched call loads all rows of a response, in each
 * transport.
 */
import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, type Row } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { PeopleDeps } from '../../deps.ts';
import { Account, AuthenticationMethod, Role, Tag, toAccount, toMethod, toRole } from '../entities.ts';
import { mayAlso, primaryTagsOf, wireScope } from '../scoped-people.ts';

type Context = OperationContext<PeopleDeps>;

function idsOf(rows: readonly Row[]): string[] {
  return rows.map(({ id }) => String(id));
}

async function loadRoles(rows: readonly Row[], { deps, scope }: Context): Promise<unknown[]> {
  if (scope === undefined) return rows.map(() => []);
  const { subjects } = await deps.roles.listSubjectRoles({ scope: wireScope(scope), userIds: idsOf(rows) });
  const rolesOf = new Map(subjects.map(({ userId, roles }) => [userId, roles]));
  return idsOf(rows).map((id) => (rolesOf.get(id) ?? []).map(toRole));
}

async function loadTags(rows: readonly Row[], { deps, scope }: Context): Promise<unknown[]> {
  if (scope === undefined) return rows.map(() => []);
  const { entities } = await deps.tags.listEntityTags({ scope: wireScope(scope), entity: 'user', entityIds: idsOf(rows) });
  const tagsOf = new Map(entities.map(({ entityId, tags }) => [entityId, tags]));
  return idsOf(rows).map((id) => (tagsOf.get(id) ?? []).map((tag) => ({ ...tag, deletedAt: null })));
}

/** Only the caller's own accounts; other people's lists are empty. */
export async function loadAccounts(rows: readonly Row[], context: Context): Promise<unknown[]> {
  if (context.actor.kind === 'anonymous') return rows.map(() => []);
  const { userId, claims } = callerOf(context);
  if (claims.type !== 'session' || !idsOf(rows).includes(userId)) return rows.map(() => []);
  const { accounts } = await context.deps.tenancy.listAccounts({ userIds: [userId] });
  return idsOf(rows).map((id) => (id === userId ? accounts.map(toAccount) : []));
}

/**
 * Provider ids (addresses) are shown to people who may export a user's data: Owners, Admins and the
 * user. Without a scope only one's own.
 */
export async function loadMethods(rows: readonly Row[], context: Context): Promise<unknown[]> {
  const own = context.actor.kind === 'token' && context.actor.claims.type === 'session' ? context.actor.userId : undefined;
  const inScope = context.scope !== undefined;
  const [mayQuery, seesAll] = await Promise.all([
    mayAlso({ resource: 'UserAuthenticationMethod', action: 'Query' }, context),
    mayAlso({ resource: 'User', action: 'ExportData' }, context),
  ]);
  if (inScope && !mayQuery) throw failures.forbidden();
  return Promise.all(
    idsOf(rows).map(async (id) => {
      const methods = inScope || id === own ? await context.deps.methodsOf(id) : [];
      return methods.map((method) => (seesAll || id === own ? toMethod(method) : { ...toMethod(method), providerId: null }));
    }),
  );
}

/** In the graph, for rows without the field. */
export const primaryTag = {
  permission: { none: 'an id; rbac shows the tag' },
  load: (rows: readonly Row[], context: Context) => primaryTagsOf(idsOf(rows), context),
} as const;

export const userRelations = {
  roles: { permission: 'Role:Query', schema: Type.Array(Role), load: loadRoles },
  tags: { permission: 'Tag:Query', schema: Type.Array(Tag), load: loadTags },
  accounts: { permission: { none: 'only the caller’s own are shown' }, schema: Type.Array(Account), load: loadAccounts },
  authenticationMethods: {
    permission: { none: 'one’s own are always shown; those of others are checked in the loader' },
    schema: Type.Array(AuthenticationMethod),
    load: loadMethods,
  },
} as const;
export const userRelationNames = ['roles', 'tags', 'accounts', 'authenticationMethods'] as const;
