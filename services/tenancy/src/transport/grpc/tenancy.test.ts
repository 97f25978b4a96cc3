/** Tenancy's gRPC methods for the other services: living records only. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { call } from '../../testing/call.ts';
import { openTestService, type TestService, type User } from '../../testing/service.ts';
import { tenancyService } from './tenancy.ts';

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service.close());

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
  return service.deliverEvent('user.joined', {
    ...{ userId: user.id, name: 'Project Person', email: user.email, scope },
    ...{ roleIds: [], tagIds: [], primaryTagId: null, createdBy: null },
  });
}

async function arrange() {
  const { owner, organizationId } = await service.createOrganization();
  const organization: Scope = { tenant: 'organization', id: organizationId };
  const [inOrganization, inAccount] = [await create(organization, owner), await create(accountOf(owner), owner)];
  return { owner, organization, account: accountOf(owner), inOrganization, inAccount };
}

describe('getScopes', () => {
  it('getScopes finds living scopes with living parents, and a project only under its own parent', async () => {
    const { owner, organization, account, inOrganization, inAccount } = await arrange();
    const scopes = [
      ...[account, organization, projectIn(account, inAccount), projectIn(organization, inOrganization)],
      ...[projectIn(account, inOrganization), projectIn(organization, inAccount), { tenant: 'organization', id: newId() }],
      ...[
        { tenant: 'galaxy', id: newId() },
        { tenant: 'organization', id: 'none' },
        { tenant: 'account', id: organization.id },
      ],
    ];
    const exist = async () => (await ask('getScopes', { scopes })).exists;
    const none = scopes.slice(4).map(() => false);
    assert.deepEqual(await exist(), [true, true, true, true, ...none]);
    await service.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [organization.id]);
    assert.deepEqual(await exist(), [true, false, true, false, ...none]);
    await service.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [owner.accountId]);
    assert.deepEqual(await exist(), [false, false, false, false, ...none]);
    await service.query('UPDATE accounts SET deleted_at = NULL WHERE id = $1', [owner.accountId]);
    await service.query('UPDATE projects SET deleted_at = now() WHERE id = $1', [inAccount]);
    assert.deepEqual(await exist(), [true, false, false, false, ...none]);
  });
});

describe('listMemberships', () => {
  it('listMemberships returns living organizations and projects, oldest first', async () => {
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
    assert.deepEqual(await list(), { organizations: [organization.id, second], projects: both });
    await call(service, 'rest', 'deleteProject', { scope: account, id: inAccount }, owner.token);
    await call(service, 'rest', 'deleteOrganization', { scope: organization, id: organization.id }, owner.token);
    assert.deepEqual(await list(), { organizations: [second], projects: [] });
  });
});

describe('listPeople, filterPeople and removePerson', () => {
  const page = { page: 1, limit: 10, search: '', sortField: '', sortOrder: '', ids: [], filterIds: false };

  it('listPeople returns only the owner for an account', async () => {
    const { owner, account } = await arrange();
    const stranger = await service.register('Stranger');
    const list = (more: object) => ask('listPeople', { ...page, scope: account, ...more });
    assert.deepEqual(await list({}), { userIds: [owner.id], totalCount: 1 });
    assert.deepEqual(await list({ ids: [owner.id, stranger.id] }), { userIds: [owner.id], totalCount: 1 });
    for (const more of [{ ids: [stranger.id] }, { filterIds: true }]) assert.deepEqual(await list(more), { userIds: [], totalCount: 0 });
    assert.deepEqual((await ask('filterPeople', { scope: account, userIds: [stranger.id, owner.id] })).userIds, [owner.id]);
  });

  it('listPeople and filterPeople return the people of an organization or a project', async () => {
    const { owner, organization, inOrganization } = await arrange();
    const dev = await service.addMember(organization.id, 'Dev', 'Dora Dev');
    const place = projectIn(organization, inOrganization);
    await joined(dev, place);
    const stranger = await service.register('Stranger');
    const everybody = [owner.id, dev.id, stranger.id];
    const list = (scope: Scope, more: object = {}) => ask('listPeople', { ...page, scope, sortField: 'name', ...more });
    assert.deepEqual(await list(organization), { userIds: [dev.id, owner.id], totalCount: 2 });
    assert.deepEqual(await list(organization, { sortOrder: 'desc', limit: 1 }), { userIds: [owner.id], totalCount: 2 });
    assert.deepEqual(await list(organization, { search: 'DORA' }), { userIds: [dev.id], totalCount: 1 });
    assert.deepEqual(await list(organization, { ids: [stranger.id, owner.id, 'none'] }), { userIds: [owner.id], totalCount: 1 });
    assert.deepEqual(await list(place), { userIds: [dev.id], totalCount: 1 });
    assert.deepEqual(
      (await ask('filterPeople', { scope: organization, userIds: everybody })).userIds.toSorted(),
      [owner.id, dev.id].toSorted(),
    );
    assert.deepEqual((await ask('filterPeople', { scope: place, userIds: everybody })).userIds, [dev.id]);
    await assert.rejects(list(organization, { sortField: 'password' }), { kind: 'validation' });
    await assert.rejects(list({ tenant: 'galaxy', id: newId() }), { kind: 'validation' });
  });

  it('removePerson removes a user from a project and publishes user.left once', async () => {
    const { owner, organization, inOrganization } = await arrange();
    const place = projectIn(organization, inOrganization);
    await joined(owner, place);
    const published = () => service.rbac.received.filter(({ type, payload }) => type === 'user.left' && payload.userId === owner.id);
    for (let times = 1; times <= 2; times += 1) {
      await ask('removePerson', { scope: place, userId: owner.id });
      assert.deepEqual((await ask('filterPeople', { scope: place, userIds: [owner.id] })).userIds, []);
      assert.deepEqual(
        published().map(({ payload }) => payload.scope),
        [place],
      );
    }
    await assert.rejects(ask('removePerson', { scope: accountOf(owner), userId: owner.id }), { kind: 'validation' });
  });
});

describe('account.requested', () => {
  const request = (userId: string, type: 'personal' | 'organization', id = newId()) =>
    service.deliverEvent('account.requested', { userId, account: { id, type } });

  it('account.requested creates one account of each type, for existing users only', async () => {
    const user = await service.register('Owner', 'personal');
    const id = newId();
    await request(user.id, 'organization', id);
    const { accounts } = await ask('listAccounts', { userIds: [user.id, 'none'] });
    assert.deepEqual(
      accounts.map((account: { id: string; type: string; ownerId: string }) => [account.id, account.type, account.ownerId]),
      [
        [user.accountId, 'personal', user.id],
        [id, 'organization', user.id],
      ],
    );
    const published = (accountId: string) =>
      service.identity.accounts.filter((one) => one.accountId === accountId).map((one) => one.accounts);
    assert.deepEqual(published(user.accountId), [accounts.slice(0, 1)]);
    assert.deepEqual(published(id), [accounts]);
    await request(user.id, 'organization');
    await request(newId(), 'personal');
    assert.deepEqual((await ask('listAccounts', { userIds: [user.id] })).accounts, accounts);
  });

  it('account.requested is applied once an account closure is cancelled, and never after it is finished', async () => {
    for (const isCancelled of [true, false]) {
      const user = await service.register('Leaving', 'personal');
      await service.query('UPDATE people SET closing_at = now() WHERE user_id = $1', [user.id]);
      const id = newId();
      assert.equal(await request(user.id, 'organization', id), false);
      const change = isCancelled ? 'closing_at = NULL' : 'closing_at = NULL, deleted_at = now()';
      await service.query(`UPDATE people SET ${change} WHERE user_id = $1`, [user.id]);
      await request(user.id, 'organization', id);
      assert.equal((await service.query('SELECT FROM accounts WHERE id = $1', [id])).length, isCancelled ? 1 : 0);
    }
  });
});
