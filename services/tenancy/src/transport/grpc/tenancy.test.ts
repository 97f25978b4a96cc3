/** Tenancy's gRPC methods for the other services: living records only. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call } from '../../testing/call.ts';
import { openTestService, type User } from '../../testing/service.ts';
import { tenancyService } from './tenancy.ts';

const service = await openTestService();
afterAll(() => service.close());

type Scope = { readonly tenant: string; readonly id: string };

/** One call as another service makes it. */
async function ask(name: string, request: object) {
  const handler = tenancyService(service.grpcDeps).handlers[name];
  assert.ok(handler, name);
  const deadline = new Date(Date.now() + 10_000);
  // biome-ignore lint/suspicious/noExplicitAny: each call answers with a message of its own
  return (await handler(request, { caller: 'identity', requestId: newId(), traceparent: undefined, deadline })) as any;
}

function accountOf({ accountId }: User): Scope {
  return { tenant: 'account', id: accountId };
}
function projectIn({ tenant, id }: Scope, projectId: string): Scope {
  return { tenant: `${tenant}Project`, id: `${id}:${projectId}` };
}
async function create(scope: Scope, { token }: User, name = 'Rocket'): Promise<string> {
  return String((await call(service, 'rest', 'createProject', { scope, name }, token)).data.id);
}
function joined(user: User, scope: Scope) {
  return service.join(user, scope, 'Project Person');
}

async function arrange() {
  const { owner, organizationId } = await service.createOrganization();
  const organization: Scope = { tenant: 'organization', id: organizationId };
  const [inOrganization, inAccount] = [await create(organization, owner), await create(accountOf(owner), owner)];
  return { owner, organization, account: accountOf(owner), inOrganization, inAccount };
}

describe('getScopes', () => {
  test('getScopes finds living scopes with living parents, and a project only under its own parent', async () => {
    const { owner, organization, account, inOrganization, inAccount } = await arrange();
    const scopes = [
      account,
      organization,
      projectIn(account, inAccount),
      projectIn(organization, inOrganization),
      projectIn(account, inOrganization),
      projectIn(organization, inAccount),
      { tenant: 'organization', id: newId() },

      { tenant: 'galaxy', id: newId() },
      { tenant: 'organization', id: 'none' },
      { tenant: 'account', id: organization.id },
    ];
    const exist = async () => (await ask('getScopes', { scopes })).exists;
    const none = scopes.slice(4).map(() => false);
    expect(await exist()).toStrictEqual([true, true, true, true, ...none]);
    await service.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [organization.id]);
    expect(await exist()).toStrictEqual([true, false, true, false, ...none]);
    await service.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [owner.accountId]);
    expect(await exist()).toStrictEqual([false, false, false, false, ...none]);
    await service.query('UPDATE accounts SET deleted_at = NULL WHERE id = $1', [owner.accountId]);
    await service.query('UPDATE projects SET deleted_at = now() WHERE id = $1', [inAccount]);
    expect(await exist()).toStrictEqual([true, false, false, false, ...none]);
  });
});

describe('nameScopes', () => {
  test('nameScopes says what living scopes are called, and nothing of others', async () => {
    const { organization, account, inOrganization, inAccount } = await arrange();
    const scopes = [organization, projectIn(organization, inOrganization), account, projectIn(account, inAccount)];
    const wrong = [projectIn(account, inOrganization), { tenant: 'organizationProject', id: 'none' }];
    const { names } = await ask('nameScopes', { scopes: [...scopes, ...wrong] });
    const [parent, project] = names;
    const both = 'SELECT o.name AS organization, p.name AS project FROM organizations o, projects p WHERE o.id = $1 AND p.id = $2';
    const [stored] = await service.query(both, [organization.id, inOrganization]);
    expect(project).toStrictEqual(stored);
    expect(parent).toStrictEqual({ ...project, project: '' });
    expect(names.slice(2)).toMatchObject([{ organization: '', project: '' }, { organization: '' }, ...wrong.map(() => ({ project: '' }))]);
    expect(names[3].project).not.toBe('');
    await service.query('UPDATE projects SET deleted_at = now() WHERE id = $1', [inOrganization]);
    expect((await ask('nameScopes', { scopes })).names[1]).toStrictEqual({ organization: '', project: '' });
  });
});

describe('getSessionPolicy', () => {
  test('an organization and its projects have its demands; accounts and what does not live have none', async () => {
    const { organization, account, inOrganization, inAccount } = await arrange();
    const policyOf = (scope: Scope) => ask('getSessionPolicy', { scope });
    const places = [organization, projectIn(organization, inOrganization)];
    for (const place of places) expect(await policyOf(place)).toStrictEqual({ requireSecondFactor: false });
    const security = JSON.stringify({ requireSecondFactor: true, maxSessionAgeMinutes: 30 });
    await service.query('UPDATE organizations SET security = $2 WHERE id = $1', [organization.id, security]);
    for (const place of places) expect(await policyOf(place)).toStrictEqual({ requireSecondFactor: true, maxSessionAgeMinutes: 30 });
    // The version before writes no rule for codes; the one that was set stays.
    const allows = (text: string) =>
      service.query(`UPDATE organizations SET security = security || $2 WHERE id = $1`, [organization.id, text]);
    await allows('{"allowEmailCode": false}');
    await service.query('UPDATE organizations SET security = $2 WHERE id = $1', [organization.id, security]);
    for (const place of places) expect(await policyOf(place)).toMatchObject({ maxSessionAgeMinutes: 30, refusesEmailCode: true });
    const others = [account, projectIn(account, inAccount), { tenant: 'organization', id: newId() }, { tenant: 'galaxy', id: newId() }];
    for (const place of others) expect(await policyOf(place)).toStrictEqual({ requireSecondFactor: false });
    await service.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [organization.id]);
    expect(await policyOf(organization)).toStrictEqual({ requireSecondFactor: false });
  });
});

describe('listPlaces', () => {
  async function granted() {
    const { owner, organization, inOrganization } = await arrange();
    const project = projectIn(organization, inOrganization);
    const customer = async (status = 'active') => {
      const made = await service.createOrganization();
      const grant = newId();
      await service.query(
        'INSERT INTO project_grants (id, project_id, owner_organization_id, organization_id, status, created_by) VALUES ($1, $2, $3, $4, $5, $6)',
        [grant, inOrganization, organization.id, made.organizationId, status, owner.id],
      );
      return { ...made, grant };
    };
    const placesOf = async ({ id }: Pick<User, 'id'>, more: object = {}) => {
      const {
        owner: whose,
        customers,
        canSignUp: _,
        ...rest
      } = await ask('listPlaces', { userId: id, project, organizationId: '', ...more });
      return { ...rest, owner: whose?.organizationId, customers: customers.map((one: { organizationId: string }) => one.organizationId) };
    };
    return { owner, organization, project, customer, placesOf, projectId: inOrganization };
  }

  test('a person is in the project itself, and in each of their organizations that may use it', async () => {
    const { owner, organization, customer, placesOf } = await granted();
    const here = { isHere: true, owner: organization.id };
    expect(await placesOf(owner)).toStrictEqual({ ...here, isGranted: false, customers: [] });
    const [acme, birch] = [await customer(), await customer()];
    expect(await placesOf(owner)).toStrictEqual({ ...here, isGranted: true, customers: [] });
    await service.addMember(acme.organizationId, 'Viewer');
    const both = await service.addMember(acme.organizationId, 'Viewer');
    await service.join(both, birch.scope, 'Both');
    const there = { isHere: false, isGranted: true, owner: organization.id };
    const { customers, ...rest } = await placesOf(both);
    expect([rest, customers.toSorted()]).toStrictEqual([there, [acme.organizationId, birch.organizationId].toSorted()]);
    expect(await placesOf(both, { organizationId: birch.organizationId })).toStrictEqual({ ...there, customers: [birch.organizationId] });
    expect(await placesOf(both, { organizationId: organization.id })).toStrictEqual({ ...there, customers: [] });
    expect(await placesOf(acme.owner)).toStrictEqual({ ...there, customers: [acme.organizationId] });
  });

  test('an organization whose grant does not stand, and one that is suspended or deleted, is no place', async () => {
    const { organization, customer, placesOf } = await granted();
    for (const status of ['offered', 'suspended', 'declined', 'ended'])
      expect((await placesOf((await customer(status)).owner)).customers).toStrictEqual([]);
    const { owner, organizationId } = await customer();
    const suspend = (id: string) =>
      service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, suspended_at) VALUES ($1, 'organization', now())`, [id]);
    for (const id of [organizationId, organization.id]) {
      expect((await placesOf(owner)).customers).toStrictEqual([organizationId]);
      await suspend(id);
      expect((await placesOf(owner)).customers).toStrictEqual([]);
      await service.query('DELETE FROM tenant_restrictions WHERE tenant_id = $1', [id]);
    }
    await service.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [organizationId]);
    expect((await placesOf(owner)).customers).toStrictEqual([]);
  });

  test('listOrganizations names all organizations of a person, with what each uses now', async () => {
    const { customer, projectId } = await granted();
    const [acme, birch] = [await customer(), await customer('suspended')];
    await service.join(acme.owner, birch.scope, 'Both');
    const list = async () => (await ask('listOrganizations', { userId: acme.owner.id })).organizations;
    const named = [acme, birch].map(({ organizationId }) => ({ organizationId, name: expect.any(String), slug: expect.any(String) }));
    expect(await list()).toStrictEqual([
      { ...named[0], grants: [{ grantId: acme.grant, projectId, name: 'Rocket' }] },
      { ...named[1], grants: [] },
    ]);
    expect((await ask('listOrganizations', { userId: 'none' })).organizations).toStrictEqual([]);
  });

  test('nobody has a place in a project that is gone, or that another organization only uses', async () => {
    const { customer, placesOf, projectId } = await granted();
    const { owner, scope } = await customer();
    const nowhere = { isHere: false, isGranted: false, owner: undefined, customers: [] };
    const project = { tenant: 'organizationProject', id: `${scope.id}:${projectId}` };
    expect(await placesOf(owner, { project })).toStrictEqual(nowhere);
    expect(await placesOf({ id: 'none' })).toStrictEqual(nowhere);
    await service.query('UPDATE projects SET deleted_at = now() WHERE id = $1', [projectId]);
    expect(await placesOf(owner)).toStrictEqual(nowhere);
  });
});

describe('listMemberships', () => {
  test('listMemberships returns living organizations and projects, oldest first', async () => {
    const { owner, organization, account, inOrganization, inAccount } = await arrange();
    const second = String((await call(service, 'rest', 'createOrganization', { scope: account, name: 'Second' }, owner.token)).data.id);
    for (const scope of [projectIn(organization, inOrganization), projectIn(account, inAccount)]) await joined(owner, scope);
    const list = async () => {
      const { organizations, projects } = await ask('listMemberships', { userId: owner.id });
      return {
        organizations: organizations.map((one: { organizationId: string }) => one.organizationId),
        projects: projects.map((one: { scope: Scope }) => one.scope),
      };
    };
    const both = [projectIn(organization, inOrganization), projectIn(account, inAccount)];
    expect(await list()).toStrictEqual({ organizations: [organization.id, second], projects: both });
    await call(service, 'rest', 'deleteProject', { scope: account, id: inAccount }, owner.token);
    await call(service, 'rest', 'deleteOrganization', { scope: organization, id: organization.id }, owner.token);
    expect(await list()).toStrictEqual({ organizations: [second], projects: [] });
  });
});

describe('listPeople, filterPeople and removePerson', () => {
  const page = { page: 1, limit: 10, search: '', sortField: '', sortOrder: '', ids: [], filterIds: false };

  test('listPeople returns only the owner for an account', async () => {
    const { owner, account } = await arrange();
    const stranger = await service.register('Stranger');
    const list = (more: object) => ask('listPeople', { ...page, scope: account, ...more });
    expect(await list({})).toStrictEqual({ userIds: [owner.id], totalCount: 1 });
    expect(await list({ ids: [owner.id, stranger.id] })).toStrictEqual({ userIds: [owner.id], totalCount: 1 });
    for (const more of [{ ids: [stranger.id] }, { filterIds: true }])
      expect(await list(more)).toStrictEqual({ userIds: [], totalCount: 0 });
    expect((await ask('filterPeople', { scope: account, userIds: [stranger.id, owner.id] })).userIds).toStrictEqual([owner.id]);
  });

  test('listPeople and filterPeople return the people of an organization or a project', async () => {
    const { owner, organization, inOrganization } = await arrange();
    const dev = await service.addMember(organization.id, 'Dev', 'Dora Dev');
    const place = projectIn(organization, inOrganization);
    await joined(dev, place);
    const stranger = await service.register('Stranger');
    const everybody = [owner.id, dev.id, stranger.id];
    const list = (scope: Scope, more: object = {}) => ask('listPeople', { ...page, scope, sortField: 'name', ...more });
    expect(await list(organization)).toStrictEqual({ userIds: [dev.id, owner.id], totalCount: 2 });
    expect(await list(organization, { sortOrder: 'desc', limit: 1 })).toStrictEqual({ userIds: [owner.id], totalCount: 2 });
    expect(await list(organization, { search: 'DORA' })).toStrictEqual({ userIds: [dev.id], totalCount: 1 });
    expect(await list(organization, { ids: [stranger.id, owner.id, 'none'] })).toStrictEqual({ userIds: [owner.id], totalCount: 1 });
    const [guest, both] = [await service.register('Zoe Guest'), dev];
    await joined(guest, place);
    expect((await list(place)).userIds).toStrictEqual((await list(place, { sortOrder: 'desc' })).userIds.toReversed());
    expect((await list(place)).userIds.toSorted()).toStrictEqual([both.id, owner.id, guest.id].toSorted());
    expect(await list(place, { search: 'dora' })).toStrictEqual({ userIds: [dev.id], totalCount: 1 });
    expect(await list(place, { page: 2, limit: 2 })).toMatchObject({ totalCount: 3, userIds: [expect.any(String)] });
    expect(await list(place, { ids: [guest.id, stranger.id] })).toStrictEqual({ userIds: [guest.id], totalCount: 1 });
    expect((await ask('filterPeople', { scope: organization, userIds: everybody })).userIds.toSorted()).toStrictEqual(
      [owner.id, dev.id].toSorted(),
    );
    expect((await ask('filterPeople', { scope: place, userIds: [...everybody, guest.id] })).userIds.toSorted()).toStrictEqual(
      [dev.id, owner.id, guest.id].toSorted(),
    );
    await expect(list(organization, { sortField: 'password' })).rejects.toMatchObject({ kind: 'validation' });
    await expect(list({ tenant: 'galaxy', id: newId() })).rejects.toMatchObject({ kind: 'validation' });
  });

  test('the people of an account’s project are its users and the owner', async () => {
    const { owner, account, inAccount } = await arrange();
    const place = projectIn(account, inAccount);
    const guest = await service.register('Guest');
    const list = (more: object = {}) => ask('listPeople', { ...page, scope: place, ...more });
    expect(await list()).toStrictEqual({ userIds: [owner.id], totalCount: 1 });
    for (const user of [owner, guest]) await joined(user, place);
    for (const sortField of ['name', 'email', 'createdAt', 'updatedAt']) {
      const { userIds, totalCount } = await list({ sortField });
      expect([userIds.toSorted(), totalCount]).toStrictEqual([[owner.id, guest.id].toSorted(), 2]);
    }
    expect(await list({ ids: [guest.id] })).toStrictEqual({ userIds: [guest.id], totalCount: 1 });
    expect(await list({ search: 'nobody' })).toStrictEqual({ userIds: [], totalCount: 0 });
    const found = await ask('filterPeople', { scope: place, userIds: [owner.id, guest.id, newId()] });
    expect(found.userIds.toSorted()).toStrictEqual([owner.id, guest.id].toSorted());
  });

  test('removePerson removes a user from a project and publishes user.left once', async () => {
    const { owner, organization, inOrganization } = await arrange();
    const place = projectIn(organization, inOrganization);
    await joined(owner, place);
    const published = () => service.rbac.received.filter(({ type, payload }) => type === 'user.left' && payload.userId === owner.id);
    for (let times = 1; times <= 2; times += 1) {
      expect(await ask('removePerson', { scope: place, userId: owner.id })).toStrictEqual({ removed: times === 1 });
      expect(await service.query('SELECT FROM project_users WHERE user_id = $1', [owner.id])).toStrictEqual([]);
      expect(published().map(({ payload }) => payload.scope)).toStrictEqual([place]);
    }
    await expect(ask('removePerson', { scope: accountOf(owner), userId: owner.id })).rejects.toMatchObject({ kind: 'validation' });
  });

  test('no change waits for its events longer than its caller waits for it', async () => {
    const { owner, organization, inOrganization } = await arrange();
    const place = projectIn(organization, inOrganization);
    await joined(owner, place);
    const told: unknown[] = [];
    const relay: typeof service.grpcDeps.relay = {
      ...service.grpcDeps.relay,
      deliver: (eventIds, options) => {
        told.push(options?.call?.deadline);
        return service.grpcDeps.relay.deliver(eventIds, options);
      },
    };
    const { handlers } = tenancyService({ ...service.grpcDeps, relay });
    const calls = { caller: 'identity', requestId: newId(), traceparent: undefined, deadline: new Date(Date.now() + 5_000) };
    await handlers['removePerson']?.({ scope: place, userId: owner.id, hard: false }, calls);
    await handlers['closeAccounts']?.({ userId: newId(), hard: false }, calls);
    expect(told).toStrictEqual([calls.deadline, calls.deadline]);
  });
});

describe('holdPlace', () => {
  const limit = (organizationId: string, members: number) =>
    service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, most_members) VALUES ($1, 'organization', $2)`, [
      organizationId,
      members,
    ]);
  const hold = (organizationId: string, userId = newId()) =>
    ask('holdPlace', { organizationId, userId }).then(
      () => 'held',
      ({ kind }: { kind: string }) => kind,
    );

  test('of requests at the same moment as many hold a place as there are, and joining takes no second one', async () => {
    const { organization } = await arrange();
    await limit(organization.id, 4);
    const people = Array.from({ length: 6 }, () => newId());
    const outcomes = await Promise.all(people.map((id) => hold(organization.id, id)));
    expect(outcomes.toSorted()).toStrictEqual(['held', 'held', 'held', 'quota', 'quota', 'quota']);
    const [first = ''] = people.filter((_, index) => outcomes[index] === 'held');
    await service.join({ id: first, email: null }, organization, 'Made Here');
    expect(await hold(organization.id)).toBe('quota');
    expect(await service.query('SELECT FROM organization_places WHERE organization_id = $1', [organization.id])).toHaveLength(2);
  });

  test('an invitation finds no place that is held, and a held place ends by itself', async () => {
    const { owner, organization } = await arrange();
    await limit(organization.id, 2);
    expect(await hold(organization.id)).toBe('held');
    const roleId = service.rbac.roleId(organization.id, 'Dev');
    const invite = async () => {
      const email = `guest.${newId().slice(-8)}@example.com`;
      return (await call(service, 'rest', 'inviteMember', { scope: organization, email, roleId }, owner.token)).code ?? 'ok';
    };
    expect(await invite()).toBe('QUOTA_EXCEEDED');
    await service.query(`UPDATE organization_places SET held_until = now() - interval '1 second'`);
    expect(await invite()).toBe('ok');
    expect(await hold(organization.id)).toBe('quota');
  });

  test('without a limit nothing is held, and the same person holds one place however often it is asked', async () => {
    const { organization } = await arrange();
    const rows = () => service.query('SELECT user_id FROM organization_places WHERE organization_id = $1', [organization.id]);
    expect(await hold(organization.id)).toBe('held');
    expect(await rows()).toStrictEqual([]);
    await limit(organization.id, 3);
    const person = newId();
    expect([await hold(organization.id, person), await hold(organization.id, person)]).toStrictEqual(['held', 'held']);
    expect(await rows()).toHaveLength(1);
  });
});

describe('account.requested', () => {
  const request = (userId: string, type: 'personal' | 'organization', id = newId()) =>
    service.deliverEvent('account.requested', { userId, account: { id, type } });

  test('account.requested creates one account of each type, for existing users only', async () => {
    const user = await service.register('Owner', 'personal');
    const id = newId();
    await request(user.id, 'organization', id);
    const { accounts } = await ask('listAccounts', { userIds: [user.id, 'none'] });
    expect(
      accounts.map((account: { id: string; type: string; ownerId: string }) => [account.id, account.type, account.ownerId]),
    ).toStrictEqual([
      [user.accountId, 'personal', user.id],
      [id, 'organization', user.id],
    ]);
    const published = (accountId: string) =>
      service.identity.accounts.filter((one) => one.accountId === accountId).map((one) => one.accounts);
    expect(published(user.accountId)).toStrictEqual([accounts.slice(0, 1)]);
    expect(published(id)).toStrictEqual([accounts]);
    await request(user.id, 'organization');
    await request(newId(), 'personal');
    expect((await ask('listAccounts', { userIds: [user.id] })).accounts).toStrictEqual(accounts);
  });

  test('account.requested is applied once an account closure is cancelled, and never after it is finished', async () => {
    for (const isCancelled of [true, false]) {
      const user = await service.register('Leaving', 'personal');
      await service.query('UPDATE people SET closing_at = now() WHERE user_id = $1', [user.id]);
      const id = newId();
      expect(await request(user.id, 'organization', id)).toBe(false);
      const change = isCancelled ? 'closing_at = NULL' : 'closing_at = NULL, deleted_at = now()';
      await service.query(`UPDATE people SET ${change} WHERE user_id = $1`, [user.id]);
      await request(user.id, 'organization', id);
      expect(await service.query('SELECT FROM accounts WHERE id = $1', [id])).toHaveLength(isCancelled ? 1 : 0);
    }
  });
});
