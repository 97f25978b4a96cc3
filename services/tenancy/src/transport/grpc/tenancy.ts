import { chooseLanguage, failures, reasons } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent, type Relay } from '@tessera/kernel/events';
import { type Call, type Handlers, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import { writeAuditMessage } from '@tessera/kernel/operation';
import { type Database, longestPage, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, tenants } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/tenancy.v1';
import type { TenancyDeps } from '../../deps.ts';
import type { Account } from '../../domain/account.ts';
import { userLeft } from '../../events.ts';
import { closeAccounts } from '../../operations/account-closure/close-accounts.ts';
import { signUpOrganization } from '../../operations/organizations/sign-up-organization.ts';
import { assertRoom } from '../../operations/quota.ts';
import { findAccounts, listAccounts } from '../../storage/accounts.ts';
import { removeMember } from '../../storage/members.ts';
import { findSecurity } from '../../storage/organizations.ts';
import { filterPeople } from '../../storage/people.ts';
import { type PeoplePlace, type PeopleQuery, type PeopleSort, pagePeople } from '../../storage/people-page.ts';
import { findCustomersOf, findPlaces, isBarred, listOrganizationsOf } from '../../storage/project-grants.ts';
import { removeProjectUser } from '../../storage/project-users.ts';
import { holdPlace } from '../../storage/quotas.ts';
import { listMemberships, nameScopes, type ProjectMembership, scopesExist } from '../../storage/scopes.ts';
import { isSuspended } from '../../storage/tenants.ts';
import { admitMember, findOwnerOfAddress, getAdmission } from './admission.ts';
import { checkSetUpDomain, claimSetUpDomain, listSetUpDomains } from './set-up-domains.ts';

export type TenancyServiceDeps = Pick<TenancyDeps, 'roles' | 'searchTotals' | 'quotas' | 'invitations' | 'lookUpDomain'> & {
  readonly database: Database;
  readonly relay: Pick<Relay, 'deliver'>;
};

/**
 * Tenancy's gRPC service. Only other services can call it; they have authorized the user for whom
 * they call.
 */
export function tenancyService(deps: TenancyServiceDeps): Implementation {
  const reader = { query: deps.database.query };
  const handlers: Handlers<'tenancy.v1.Tenancy'> = {
    listAccounts: async ({ userIds }) => ({ accounts: (await listAccounts(reader, userIds.filter(isId))).map(accountMessage) }),
    closeAccounts: async ({ userId, hard }, call) => {
      await closeAccounts(within(call, deps), userId, hard);
      return {};
    },
    listMemberships: async ({ userId }) => {
      const { organizations, projects } = await listMemberships(reader, userId);
      return { organizations, projects: projects.map(projectMembershipMessage) };
    },
    listPlaces: (request) => listPlaces(deps, request),
    signUpOrganization: (request, call) => signUp(within(call, deps), request),
    listOrganizations: async ({ userId }) => ({
      organizations: isId(userId) ? toOrganizations(await listOrganizationsOf(reader, userId)) : [],
    }),
    listPeople: (request) => listPeople(deps, request),
    filterPeople: ({ scope, userIds }) => filterPeopleOf(deps, parsed(scope), userIds),
    getScopes: async ({ scopes }) => ({ exists: await scopesExist(reader, scopes.map(parsedOrUndefined)) }),
    nameScopes: async ({ scopes }) => ({
      names: (await nameScopes(reader, scopes.map(parsedOrUndefined))).map((names) => ({
        organization: names?.organization ?? '',
        project: names?.project ?? '',
      })),
    }),
    getSessionPolicy: async ({ scope }) => {
      const { organizationId } = parsedOrUndefined(scope ?? { tenant: '', id: '' }) ?? {};
      const policy = organizationId === undefined ? undefined : await findSecurity(reader, organizationId);
      const minutes = policy?.maxSessionAgeMinutes ?? null;
      return {
        requireSecondFactor: policy?.requireSecondFactor === true,
        ...(minutes === null ? {} : { maxSessionAgeMinutes: minutes }),
        ...(policy?.allowEmailCode === false ? { refusesEmailCode: true } : {}),
      };
    },
    holdPlace: async ({ organizationId, userId }) => {
      const scope = parsed({ tenant: 'organization', id: organizationId });
      await deps.database.scoped(scope, async (tx) => {
        if (await assertRoom('members', organizationId, { tx, deps })) await holdPlace(tx, organizationId, userId);
      });
      return {};
    },
    findDomainOwner: (request) => findOwnerOfAddress(deps, request),
    getAdmission: (request) => getAdmission(deps, request),
    admitMember: (request, call) => admitMember(deps, request, (work) => change(within(call, deps), work)),
    listSetUpDomains: (request) => listSetUpDomains(deps, request),
    claimSetUpDomain: (request) => claimSetUpDomain(deps, request),
    checkSetUpDomain: (request) => checkSetUpDomain(deps, request),
    removePerson: async ({ scope, userId, hard, auditJson }, call) => {
      const parsedScope = parsed(scope);
      const removed = await change(within(call, deps), async (tx) => {
        if (!(await removeFrom(tx, parsedScope, userId))) return [];
        if (auditJson !== undefined) await writeAuditMessage(tx, auditJson);
        return [userLeft(userId, parsedScope, hard)];
      });
      return { removed, ...(removed && auditJson !== undefined ? { isAudited: true } : {}) };
    },
  };
  return implement('tenancy.v1.Tenancy', handlers);
}

/**
 * Deliveries end before the deadline of the call: the change stands, however long others take to
 * hear of it.
 */
function within(call: Call, deps: TenancyServiceDeps): TenancyServiceDeps {
  return { ...deps, relay: { deliver: (eventIds) => deps.relay.deliver(eventIds, { call }) } };
}

/**
 * Commits a change with its events, and delivers the events before the response. True with events.
 */
async function change({ database, relay }: TenancyServiceDeps, work: (tx: Transaction) => Promise<OutgoingEvent[]>): Promise<boolean> {
  const eventIds = await database.transaction(async (tx) => emit(tx, await work(tx)));
  await relay.deliver(eventIds);
  return eventIds.length > 0;
}

function toOrganizations(rows: Awaited<ReturnType<typeof listOrganizationsOf>>): wire.OrganizationOfPerson[] {
  return [...Map.groupBy(rows, ({ organizationId }) => organizationId).values()].flatMap((ofOne) =>
    ofOne.slice(0, 1).map(({ organizationId, name, slug }) => ({
      organizationId,
      name,
      slug,
      grants: ofOne.flatMap(({ grantId, projectId, projectName }) =>
        grantId === null || projectId === null ? [] : [{ grantId, projectId, name: projectName ?? '' }],
      ),
    })),
  );
}

async function listPlaces(
  deps: TenancyServiceDeps,
  { userId, project, organizationId }: wire.ListPlacesRequest,
): Promise<wire.ListPlacesResponse> {
  const { organizationId: ownerOrganizationId, projectId, tenant, id } = parsed(project);
  const isAsked = isId(userId) && (organizationId === '' || isId(organizationId));
  if (ownerOrganizationId === undefined || projectId === undefined || !isAsked) return nowhere;
  const only = organizationId === '' ? null : organizationId;
  const [rows, { userIds }] = await Promise.all([
    findPlaces({ query: deps.database.query }, { userId, ownerOrganizationId, projectId, only }),
    filterPeopleOf(deps, parseScope({ tenant, id }), [userId]),
  ]);
  const name = ({ organizationId: place, name, slug }: (typeof rows)[number]) => ({ organizationId: place, name, slug });
  const [owner, ...customers] = rows;
  if (owner?.isOwner !== true) return nowhere;
  const isHere = userIds.includes(userId);
  const isNew = !isHere && only === null && customers.length === 0;
  const canSignUp = isNew && (await maySignUp(deps, { userId, ownerOrganizationId, projectId }));
  return { isHere, owner: name(owner), customers: customers.map(name), isGranted: owner.isGranted === true, canSignUp };
}
const nowhere = { isHere: false, customers: [], isGranted: false, canSignUp: false };

type InProduct = Parameters<typeof findCustomersOf>[1];

/** Not besides an organization that the owner has suspended, or the operator, nor after it was. */
async function maySignUp({ database: { query } }: TenancyServiceDeps, person: InProduct): Promise<boolean> {
  const [known, isBarredHere, isOwnerSuspended] = await Promise.all([
    findCustomersOf({ query }, person),
    isBarred({ query }, person),
    isSuspended({ query }, person.ownerOrganizationId),
  ]);
  return known.length === 0 && !isBarredHere && !isOwnerSuspended;
}

async function signUp(
  { database, relay, invitations }: TenancyServiceDeps,
  { userId, userName, email, project, name, appId, requestId, ipAddress, userAgent, language }: wire.SignUpOrganizationRequest,
): Promise<wire.SignUpOrganizationResponse> {
  const { tenant, organizationId: ownerOrganizationId, projectId } = parsed(project);
  if (tenant !== 'organizationProject' || ownerOrganizationId === undefined || projectId === undefined)
    throw failures.validation('project', { en: 'must be a project of an organization', de: 'muss ein Projekt einer Organisation sein' });
  const signedUp = {
    person: { userId, name: userName, email: email ?? null },
    product: { ownerOrganizationId, projectId },
    name,
    appId,
    request: { id: requestId, ipAddress, userAgent, language: chooseLanguage(language) },
  } as const;
  const { organization, eventIds } = await database.transaction(async (tx) => {
    const { events, ...made } = await signUpOrganization(signedUp, { tx, now: new Date(), invitations });
    return { ...made, eventIds: await emit(tx, [...events]) };
  });
  await relay.deliver(eventIds);
  const { id, slug } = organization;
  return { organization: { organizationId: id, name: organization.name, slug }, isMade: eventIds.length > 0 };
}

async function listPeople(
  { database, searchTotals }: TenancyServiceDeps,
  request: wire.ListPeopleRequest,
): Promise<wire.ListPeopleResponse> {
  const { page, limit, search, sortField, sortOrder, ids, filterIds } = request;
  const scope = parsed(request.scope);
  if (scope.tenant === 'account') return onlyOwner(await findAccounts({ query: database.query }, [scope.accountId]), ids, filterIds);
  const query: PeopleQuery = {
    page: Math.max(1, page),
    limit: Math.min(Math.max(1, limit), longestPage),
    search,
    sortField: peopleSort(sortField),
    sortOrder: sortOrder === 'desc' ? 'desc' : 'asc',
    ids: ids.length > 0 || filterIds ? ids.filter(isId) : undefined,
  };
  return database.scoped(scope, (tx) => pagePeople(tx, searchTotals, placeOf(scope), query), { readOnly: true, isOrdered: true });
}

/** The people of a project include the members of its organization, or its account's owner. */
async function filterPeopleOf({ database }: TenancyServiceDeps, scope: ParsedScope, asked: readonly string[]) {
  const ids = asked.filter(isId);
  const { accountId } = scope;
  const [account] = accountId === undefined ? [] : await findAccounts({ query: database.query }, [accountId]);
  const owners = ids.filter((id) => id === account?.ownerId);
  if (scope.tenant === 'account') return { userIds: owners };
  const found = await database.scoped(scope, (tx) => filterPeople(tx, scope, ids), { readOnly: true });
  return { userIds: [...new Set([...found, ...owners])] };
}

function projectMembershipMessage({ projectId, organizationId, accountId, name, joinedAt }: ProjectMembership) {
  const tenant = organizationId === null ? 'accountProject' : 'organizationProject';
  return { scope: { tenant, id: `${organizationId ?? accountId}:${projectId}` }, name, joinedAt };
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
  if (!scope || !tenant) throw failures.validation('scope.tenant', reasons.oneOf(tenants));
  return parseScope({ tenant, id: scope.id });
}

function placeOf({ accountId, organizationId, projectId }: ParsedScope): PeoplePlace {
  if (organizationId !== undefined) return { organizationId, projectId };
  if (accountId !== undefined && projectId !== undefined) return { accountId, projectId };
  throw new Error('an account has no people but its owner');
}

const peopleSorts: readonly PeopleSort[] = ['name', 'email', 'createdAt', 'updatedAt'];

function peopleSort(field: string): PeopleSort {
  const known = peopleSorts.find((one) => one === field);
  if (field !== '' && !known) throw failures.validation('sortField', reasons.oneOf(peopleSorts));
  return known ?? 'name';
}

function onlyOwner([account]: readonly Account[], ids: readonly string[], filterIds: boolean): wire.ListPeopleResponse {
  const isIncluded = account !== undefined && ((ids.length === 0 && !filterIds) || ids.includes(account.ownerId));
  return { userIds: isIncluded ? [account.ownerId] : [], totalCount: isIncluded ? 1 : 0 };
}

function removeFrom(tx: Transaction, scope: ParsedScope, userId: string): Promise<boolean> {
  if (scope.projectId !== undefined) return removeProjectUser(tx, scope.accountId ?? scope.organizationId, scope.projectId, userId);
  // For an organization rbac has already ended the membership, under its own rules.
  if (scope.tenant === 'organization') return removeMember(tx, scope.organizationId, userId);
  throw failures.validation('scope.tenant', {
    en: 'must be an organization or a project',
    de: 'muss eine Organisation oder ein Projekt sein',
  });
}
