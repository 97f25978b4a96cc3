import { failures } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent, type Relay } from '@tessera/kernel/events';
import { type Handlers, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId, newId } from '@tessera/kernel/ids';
import { type Database, longestPage, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, tenants } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/tenancy.v1';
import type { TenancyDeps } from '../../deps.ts';
import { type Account, isAccountType } from '../../domain/account.ts';
import { errors } from '../../errors.ts';
import { accountCreated, userLeft } from '../../events.ts';
import { closeAccounts } from '../../operations/closing/close-accounts.ts';
import { findAccounts, insertAccount, listAccounts } from '../../storage/accounts.ts';
import { removeMember } from '../../storage/members.ts';
import { filterPeople, isLivingPerson } from '../../storage/people.ts';
import { type PeopleSort, pagePeople } from '../../storage/people-page.ts';
import { removeProjectUser } from '../../storage/project-users.ts';
import { listMemberships, scopesExist } from '../../storage/scopes.ts';

export type InnerDeps = Pick<TenancyDeps, 'roles' | 'searchTotals'> & {
  readonly database: Database;
  readonly relay: Pick<Relay, 'deliver'>;
};

/** What the other services ask of tenancy. They have authorized the person they ask for; this door opens to services only. */
export function tenancyService(deps: InnerDeps): Implementation {
  const { database, searchTotals } = deps;
  const reader = { query: database.query };

  /** Commits the change with its events, and tells the others before answering. */
  const change = async (work: (tx: Transaction) => Promise<OutgoingEvent[]>): Promise<void> => {
    const eventIds = await database.transaction(async (tx) => emit(tx, await work(tx)));
    await deps.relay.deliver(eventIds);
  };

  const handlers: Handlers<'tenancy.v1.Tenancy'> = {
    listAccounts: async ({ userIds }) => ({ accounts: (await listAccounts(reader, userIds.filter(isId))).map(accountMessage) }),
    createAccount: async ({ userId, type }) => {
      if (!isAccountType(type)) throw failures.validation('type', 'is personal or organization');
      const id = newId();
      await change(async (tx) => {
        const account = await insertAccount(tx, { id, type, ownerId: userId });
        if (!account)
          throw (await isLivingPerson(tx, userId))
            ? errors.accountExists({ extensions: { resource: 'Account', field: 'type' } })
            : failures.notFound('User');
        return [accountCreated(account, await listAccounts(tx, [userId]))];
      });
      const [account] = await findAccounts(reader, [id]);
      if (!account) throw failures.notFound('Account');
      return accountMessage(account);
    },
    closeAccounts: async ({ userId, hard }) => {
      await closeAccounts(deps, userId, hard);
      return {};
    },
    listMemberships: async ({ userId }) => {
      const { organizations, projects } = await listMemberships(reader, userId);
      return {
        organizations,
        projects: projects.map(({ projectId, organizationId, accountId, name, joinedAt }) => ({
          scope: {
            tenant: organizationId === null ? 'accountProject' : 'organizationProject',
            id: `${organizationId ?? accountId}:${projectId}`,
          },
          name,
          joinedAt,
        })),
      };
    },
    listPeople: async ({ scope, page, limit, search, sortField, sortOrder, ids, filterIds }) => {
      const place = parsed(scope);
      if (place.tenant === 'account') return ownerAlone(await findAccounts(reader, [place.accountId]), ids, filterIds);
      return database.scoped(
        place,
        (tx) =>
          pagePeople(tx, searchTotals, placeOf(place), {
            page: Math.max(1, page),
            limit: Math.min(Math.max(1, limit), longestPage),
            search,
            sortField: peopleSort(sortField),
            sortOrder: sortOrder === 'desc' ? 'desc' : 'asc',
            ids: ids.length > 0 || filterIds ? ids.filter(isId) : undefined,
          }),
        { readOnly: true, isOrdered: true },
      );
    },
    filterPeople: async ({ scope, userIds }) => {
      const place = parsed(scope);
      if (place.tenant === 'account') {
        const [account] = await findAccounts(reader, [place.accountId]);
        return { userIds: userIds.filter((id) => id === account?.ownerId) };
      }
      return { userIds: await database.scoped(place, (tx) => filterPeople(tx, placeOf(place), userIds.filter(isId)), { readOnly: true }) };
    },
    getScopes: async ({ scopes }) => ({ exists: await scopesExist(reader, scopes.map(parsedOrUndefined)) }),
    removePerson: async ({ scope, userId }) => {
      const place = parsed(scope);
      await change(async (tx) => ((await removeFrom(tx, place, userId)) ? [userLeft(userId, place)] : []));
      return {};
    },
  };
  return implement('tenancy.v1.Tenancy', handlers);
}

function accountMessage({ id, type, ownerId, createdAt, updatedAt }: Account): wire.Account {
  return { id, type, ownerId, createdAt, updatedAt };
}

function parsedOrUndefined(scope: wire.Scope): ParsedScope | undefined {
  try {
    return parsed(scope);
  } catch {
    return undefined;
  }
}

function parsed(scope: wire.Scope | undefined): ParsedScope {
  const tenant = tenants.find((one) => one === scope?.tenant);
  if (!scope || !tenant) throw failures.validation('scope.tenant', `one of ${tenants.join(', ')}`);
  return parseScope({ tenant, id: scope.id });
}

function placeOf(scope: ParsedScope) {
  if (scope.projectId !== undefined) return { projectId: scope.projectId };
  if (scope.organizationId !== undefined) return { organizationId: scope.organizationId };
  throw new Error('an account is no place with people');
}

const peopleSorts: readonly PeopleSort[] = ['name', 'email', 'createdAt', 'updatedAt'];

function peopleSort(field: string): PeopleSort {
  const known = peopleSorts.find((one) => one === field);
  if (field !== '' && !known) throw failures.validation('sortField', `one of ${peopleSorts.join(', ')}`);
  return known ?? 'name';
}

function ownerAlone([account]: readonly Account[], ids: readonly string[], filterIds: boolean): wire.ListPeopleResponse {
  const isWanted = account !== undefined && ((ids.length === 0 && !filterIds) || ids.includes(account.ownerId));
  return { userIds: isWanted ? [account.ownerId] : [], totalCount: isWanted ? 1 : 0 };
}

function removeFrom(tx: Transaction, scope: ParsedScope, userId: string): Promise<boolean> {
  if (scope.projectId !== undefined) return removeProjectUser(tx, scope.accountId ?? scope.organizationId, scope.projectId, userId);
  // Of an organization: rbac has ended the membership before, under its own rules.
  if (scope.tenant === 'organization') return removeMember(tx, scope.organizationId, userId);
  throw failures.validation('scope.tenant', 'an organization or a project');
}
