/**
 * What the other services rely on of tenancy.v1.Tenancy. It runs on the service itself and on each
 * fake of it, so that a fake which drifts away fails. Each fake is held to what its service asks.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/tenancy.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;
type Scope = { readonly tenant: string; readonly id: string };

/** Asked by keys and identity. */
export type PeopleUnderContract = {
  readonly listAccounts: Call<wire.ListAccountsRequest, wire.ListAccountsResponse>;
  readonly filterPeople: Call<wire.FilterPeopleRequest, wire.FilterPeopleResponse>;
};
/** Asked by keys. */
export type ScopesUnderContract = { readonly getScopes: Call<wire.GetScopesRequest, wire.GetScopesResponse> };
/** Asked by identity. */
export type SignInsUnderContract = PeopleUnderContract & {
  readonly listPeople: Call<wire.ListPeopleRequest, wire.ListPeopleResponse>;
  readonly removePerson: Call<wire.RemovePersonRequest, wire.RemovePersonResponse>;
  readonly listPlaces: Call<wire.ListPlacesRequest, wire.ListPlacesResponse>;
  readonly signUpOrganization: Call<wire.SignUpOrganizationRequest, wire.SignUpOrganizationResponse>;
  readonly listOrganizations: Call<wire.ListOrganizationsRequest, wire.ListOrganizationsResponse>;
  readonly getSessionPolicy: Call<wire.GetSessionPolicyRequest, wire.SessionPolicy>;
};

/** What a suite needs of the world behind the calls. All ids are new ones. */
export type ContractTenants = {
  readonly createOrganization: () => Promise<{ readonly id: string; readonly ownerId: string; readonly accountId: string }>;
  readonly createProject: (organizationId: string) => Promise<Scope>;
  /** The person, from now on a member of the organization or one of the people of the project. */
  readonly join: (scope: Scope, userId: string) => Promise<void>;
  readonly createPerson: () => Promise<string>;
};
export type ContractCustomers = ContractTenants & {
  /** The organization uses the project from now on. */
  readonly use: (project: Scope, organizationId: string) => Promise<void>;
  readonly demand: (
    organizationId: string,
    policy: { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes?: number },
  ) => Promise<void>;
};

function organizationOf(id: string): Scope {
  return { tenant: 'organization', id };
}

/** Registers the suite. `tenancy` is looked up in each test: a service starts after that. */
export function describePeopleContract(tenancy: () => PeopleUnderContract, world: ContractTenants): void {
  describe('tenancy.v1.Tenancy: people', () => {
    const among = async (scope: Scope, ...userIds: string[]) => (await tenancy().filterPeople({ scope, userIds })).userIds.toSorted();

    test('the accounts of each user come, and of nobody else', async () => {
      const [one, other] = [await world.createOrganization(), await world.createOrganization()];
      const { accounts } = await tenancy().listAccounts({ userIds: [one.ownerId] });
      expect(accounts.map(({ ownerId, id }) => [ownerId, id])).toStrictEqual([[one.ownerId, one.accountId]]);
      expect((await tenancy().listAccounts({ userIds: [one.ownerId, other.ownerId] })).accounts).toHaveLength(2);
      expect((await tenancy().listAccounts({ userIds: [randomUUID()] })).accounts).toStrictEqual([]);
      expect((await tenancy().listAccounts({ userIds: [] })).accounts).toStrictEqual([]);
    });

    test('the people of an organization are its members, and nobody of another one', async () => {
      const [one, other] = [await world.createOrganization(), await world.createOrganization()];
      const member = await world.createPerson();
      await world.join(organizationOf(one.id), member);
      const asked = [member, one.ownerId, other.ownerId, randomUUID()];
      expect(await among(organizationOf(one.id), ...asked)).toStrictEqual([member, one.ownerId].toSorted());
      expect(await among(organizationOf(one.id))).toStrictEqual([]);
      expect(await among(organizationOf(randomUUID()), ...asked)).toStrictEqual([]);
    });

    test('the people of a project are its own and the members of its organization', async () => {
      const organization = await world.createOrganization();
      const project = await world.createProject(organization.id);
      const sibling = await world.createProject(organization.id);
      const guest = await world.createPerson();
      await world.join(project, guest);
      const asked = [guest, organization.ownerId, randomUUID()];
      expect(await among(project, ...asked)).toStrictEqual([guest, organization.ownerId].toSorted());
      expect(await among(sibling, ...asked)).toStrictEqual([organization.ownerId]);
      expect(await among(organizationOf(organization.id), ...asked)).toStrictEqual([organization.ownerId]);
    });
  });
}

/** Registers the suite. */
export function describeScopesContract(tenancy: () => ScopesUnderContract, world: ContractTenants): void {
  test('tenancy.v1.Tenancy: scopes exist in the order of the request, a project only under its own parent', async () => {
    const [one, other] = [await world.createOrganization(), await world.createOrganization()];
    const project = await world.createProject(one.id);
    const foreign = { tenant: project.tenant, id: `${other.id}:${project.id.slice(37)}` };
    const scopes = [organizationOf(randomUUID()), project, foreign, organizationOf(one.id), { tenant: 'account', id: one.id }];
    expect((await tenancy().getScopes({ scopes })).exists).toStrictEqual([false, true, false, true, false]);
    expect((await tenancy().getScopes({ scopes: [] })).exists).toStrictEqual([]);
  });
}

/** Registers the suite. */
export function describeSignInsContract(tenancy: () => SignInsUnderContract, world: ContractCustomers): void {
  const everybody = { page: 1, limit: 10, search: '', sortField: '', sortOrder: '', ids: [] as string[], filterIds: false };
  const listed = async (scope: Scope, more: object = {}) => {
    const { userIds, totalCount } = await tenancy().listPeople({ ...everybody, scope, ...more });
    return { ids: userIds.toSorted(), totalCount };
  };
  const placesOf = async (userId: string, project: Scope, organizationId = '') => {
    const { isHere, isGranted, owner, customers } = await tenancy().listPlaces({ userId, project, organizationId });
    return { isHere, isGranted, owner: owner?.organizationId, customers: customers.map((one) => one.organizationId).toSorted() };
  };

  describe('tenancy.v1.Tenancy: sign-ins', () => {
    test('people are listed page by page, with their number; `filterIds` asks for these only, also for none', async () => {
      const organization = await world.createOrganization();
      const member = await world.createPerson();
      const scope = organizationOf(organization.id);
      await world.join(scope, member);
      const both = [member, organization.ownerId].toSorted();
      expect(await listed(scope)).toStrictEqual({ ids: both, totalCount: 2 });
      const pages = [await listed(scope, { limit: 1 }), await listed(scope, { limit: 1, page: 2 })];
      expect(pages.flatMap(({ ids }) => ids).toSorted()).toStrictEqual(both);
      expect(pages.map(({ totalCount }) => totalCount)).toStrictEqual([2, 2]);
      expect(await listed(scope, { ids: [member, randomUUID()], filterIds: true })).toStrictEqual({ ids: [member], totalCount: 1 });
      expect(await listed(scope, { filterIds: true })).toStrictEqual({ ids: [], totalCount: 0 });
    });

    test('who is removed from a project is not there any more, and is removed once', async () => {
      const project = await world.createProject((await world.createOrganization()).id);
      const guest = await world.createPerson();
      await world.join(project, guest);
      const remove = async () => (await tenancy().removePerson({ scope: project, userId: guest, hard: false })).removed;
      expect([await remove(), await remove()]).toStrictEqual([true, false]);
      expect((await tenancy().filterPeople({ scope: project, userIds: [guest] })).userIds).toStrictEqual([]);
    });

    test('a person may sign in to a project itself and in each of their organizations that use it', async () => {
      const [owner, acme, birch] = [await world.createOrganization(), await world.createOrganization(), await world.createOrganization()];
      const project = await world.createProject(owner.id);
      const there = { isHere: false, isGranted: true, owner: owner.id };
      expect(await placesOf(owner.ownerId, project)).toStrictEqual({ ...there, isHere: true, isGranted: false, customers: [] });
      for (const { id } of [acme, birch]) await world.use(project, id);
      const both = await world.createPerson();
      for (const { id } of [acme, birch]) await world.join(organizationOf(id), both);
      expect(await placesOf(owner.ownerId, project)).toStrictEqual({ ...there, isHere: true, customers: [] });
      expect(await placesOf(both, project)).toStrictEqual({ ...there, customers: [acme.id, birch.id].toSorted() });
      expect(await placesOf(both, project, birch.id)).toStrictEqual({ ...there, customers: [birch.id] });
      expect(await placesOf(acme.ownerId, project, birch.id)).toStrictEqual({ ...there, customers: [] });
      expect(await placesOf(await world.createPerson(), project)).toStrictEqual({ ...there, customers: [] });
      const guest = await world.createPerson();
      await world.join(project, guest);
      expect(await placesOf(guest, project)).toStrictEqual({ ...there, isHere: true, customers: [] });
    });

    test('a person in no organization that uses a project makes one, the same again by the same name, and no other', async () => {
      const owner = await world.createOrganization();
      const project = await world.createProject(owner.id);
      const userId = await world.createPerson();
      const may = async (who: string) => (await tenancy().listPlaces({ userId: who, project, organizationId: '' })).canSignUp;
      expect([await may(userId), await may(owner.ownerId)]).toStrictEqual([true, false]);
      const facts = { appId: randomUUID(), requestId: randomUUID(), ipAddress: '', userAgent: '', language: 'en' };
      const signUp = (name: string) => tenancy().signUpOrganization({ userId, userName: 'Some Person', project, name, ...facts });
      const [first, again] = [await signUp('Acme'), await signUp('Acme')];
      expect([first.isMade, again.isMade, again.organization]).toStrictEqual([true, false, first.organization]);
      expect(first.organization.name).toBe('Acme');
      await expect(signUp('Birch')).rejects.toMatchObject({ kind: 'conflict' });
      expect([await placesOf(userId, project), await may(userId)]).toStrictEqual([
        { isHere: false, isGranted: true, owner: owner.id, customers: [first.organization.organizationId] },
        false,
      ]);
    });

    test('the organizations of a person come with the projects that each uses', async () => {
      const [owner, acme] = [await world.createOrganization(), await world.createOrganization()];
      const project = await world.createProject(owner.id);
      await world.use(project, acme.id);
      const { organizations } = await tenancy().listOrganizations({ userId: acme.ownerId });
      expect(organizations.map(({ organizationId, grants }) => [organizationId, grants.map(({ projectId }) => projectId)])).toStrictEqual([
        [acme.id, [project.id.slice(37)]],
      ]);
      expect((await tenancy().listOrganizations({ userId: randomUUID() })).organizations).toStrictEqual([]);
    });

    test('an organization’s demands hold in its projects, and nothing is demanded elsewhere', async () => {
      const [strict, other] = [await world.createOrganization(), await world.createOrganization()];
      const project = await world.createProject(strict.id);
      const policy = { requireSecondFactor: true, maxSessionAgeMinutes: 30 };
      await world.demand(strict.id, policy);
      const of = (scope: Scope) => tenancy().getSessionPolicy({ scope });
      for (const scope of [organizationOf(strict.id), project]) expect(await of(scope)).toStrictEqual(policy);
      expect(await of(organizationOf(other.id))).toStrictEqual({ requireSecondFactor: false });
      expect(await of({ tenant: 'account', id: randomUUID() })).toStrictEqual({ requireSecondFactor: false });
    });
  });
}
