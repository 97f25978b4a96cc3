/** A webhook is worth no more than who directed it, and by what they did. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../test/support/until.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService, type User } from '../testing/service.ts';
import { openDeliverer, openReceiver } from '../testing/webhooks.ts';

const service = await openTestService();
const cleanup = new AsyncDisposableStack();
const receiver = await openReceiver(cleanup);
beforeAll(() => {
  service.relay.start();
  openDeliverer(service, cleanup);
});
afterAll(async () => {
  await cleanup.disposeAsync();
  await service.close();
});

async function ask(name: string, input: Input, token: string) {
  const { code, data } = await call(service, 'rest', name, input, token);
  if (code !== undefined) throw new Error(`${name}: ${code}`);
  return data;
}

async function world() {
  const { owner, organizationId, scope } = await service.createOrganization();
  const admin = await service.addMember(organizationId, 'Admin');
  const project = await ask('createProject', { scope, name: 'Shop' }, owner.token);
  const projectScope = { tenant: 'organizationProject', id: `${organizationId}:${project['id']}` };
  const quiet = { scope: projectScope, url: receiver.url('/quiet'), eventTypes: ['webhook.disabled'] };
  const { id: quietId } = await ask('createWebhook', quiet, owner.token);
  /** Something that the project's log records. */
  const act = () => ask('testWebhook', { scope: projectScope, id: String(quietId) }, owner.token);
  const make = async (token: string, given: Input = {}) => {
    const path = `/${newId()}`;
    const body = { scope: projectScope, url: receiver.url(path), eventTypes: ['webhook.tested'], ...given };
    const { id } = await ask('createWebhook', body, token);
    return { path, id: String(id), scope: body.scope };
  };
  const find = async (id: string, at: Input = projectScope) => {
    const { items } = await ask('listWebhooks', { scope: at, ids: [id] }, owner.token);
    return (items as Record<string, unknown>[])[0] ?? {};
  };
  return { owner, admin, organizationId, scope, projectScope, act, make, find };
}
const keyToken = ({ id }: User, keyId: string, { id: place }: { id: string }) => `key.${id}.${keyId}.${place}`;
const mails = (template: string, path: string) =>
  service.identity.mails.filter((mail) => mail.template === template && mail.data['webhookUrl'] === receiver.url(path));
/** Has rbac take the right to read the log from every person, while `work` runs. */
async function withoutTheRight<Result>(work: () => Promise<Result>): Promise<Result> {
  service.rbac.withheld.add('AuditEvent:Query');
  try {
    return await work();
  } finally {
    service.rbac.withheld.delete('AuditEvent:Query');
  }
}

describe('without AuditEvent:Query', () => {
  const directions: Readonly<Record<string, Input>> = {
    updateWebhook: { url: 'https://elsewhere.example/' },
    createWebhookSecret: {},
    vouchForWebhook: {},
  };

  test('nobody makes a webhook', async () => {
    const { owner, projectScope } = await world();
    const body = { scope: projectScope, url: 'https://hooks.example.com/in', eventTypes: ['*'] };
    expect((await withoutTheRight(() => call(service, 'rest', 'createWebhook', body, owner.token))).code).toBe('FORBIDDEN');
    expect((await call(service, 'rest', 'createWebhook', body, owner.token)).code).toBeUndefined();
  });

  test.each(Object.entries(directions))('%s is refused', async (name, input) => {
    const { owner, projectScope, make } = await world();
    const { id } = await make(owner.token);
    const asked = { scope: projectScope, id, ...input };
    expect((await withoutTheRight(() => call(service, 'rest', name, asked, owner.token))).code).toBe('FORBIDDEN');
    expect((await call(service, 'rest', name, asked, owner.token)).code).toBeUndefined();
  });

  test.each([{ eventTypes: ['*'] }, { outcomes: ['ok', 'refused'] }, { isActive: false }])('%j is not set', async (change) => {
    const { owner, projectScope, make } = await world();
    const { id } = await make(owner.token);
    const asked = { scope: projectScope, id, ...change };
    expect((await withoutTheRight(() => call(service, 'rest', 'updateWebhook', asked, owner.token))).code).toBe('FORBIDDEN');
  });

  test('a description is changed all the same', async () => {
    const { owner, projectScope, make } = await world();
    const { id } = await make(owner.token);
    const asked = { scope: projectScope, id, description: 'For the shop' };
    expect((await withoutTheRight(() => call(service, 'rest', 'updateWebhook', asked, owner.token))).code).toBeUndefined();
  });

  test('no delivery is replayed', async () => {
    const { owner, projectScope, make, act } = await world();
    const { id, path } = await make(owner.token);
    await act();
    await until(() => receiver.at(path).length === 1);
    const { items } = await ask('listWebhookDeliveries', { scope: projectScope, id }, owner.token);
    const deliveryId = String((items as Record<string, unknown>[])[0]?.['id']);
    const replay = () => call(service, 'rest', 'replayWebhookDelivery', { scope: projectScope, id, deliveryId }, owner.token);
    expect((await withoutTheRight(replay)).code).toBe('FORBIDDEN');
  });
});

describe('what an API key made', () => {
  test('stops with the key, and goes on once somebody vouches', async () => {
    const { owner, projectScope, act, make, find } = await world();
    const keyId = newId();
    service.liveKeys.add(keyId);
    const { id, path } = await make(keyToken(owner, keyId, projectScope));
    expect((await find(id))['voucher']).toMatchObject({ type: 'apiKey', userId: owner.id, apiKeyId: keyId, appId: null, endedAt: null });
    await act();
    await until(() => receiver.at(path).length === 1);
    service.liveKeys.delete(keyId);
    service.announceChange(newId());
    await act();
    await until(async () => (await find(id))['isActive'] === false);
    expect(receiver.at(path)).toHaveLength(1);
    await until(() => mails('webhook-stopped', path).length === 1);
    expect((await find(id))['voucher']).toMatchObject({ type: 'apiKey', endedAt: expect.any(String), until: null });
    await ask('vouchForWebhook', { scope: projectScope, id }, owner.token);
    await until(() => receiver.at(path).length === 2);
    expect(await find(id)).toMatchObject({ isActive: true, voucher: { type: 'session', userId: owner.id, endedAt: null } });
  });

  test('is not turned away from its voucher by a person who only describes it', async () => {
    const { owner, projectScope, make, find } = await world();
    const keyId = newId();
    service.liveKeys.add(keyId);
    const { id } = await make(keyToken(owner, keyId, projectScope));
    await ask('updateWebhook', { scope: projectScope, id, description: 'Ours', isActive: true }, owner.token);
    expect((await find(id))['voucher']).toMatchObject({ type: 'apiKey' });
    await ask('updateWebhook', { scope: projectScope, id, eventTypes: ['role.created'] }, owner.token);
    expect((await find(id))['voucher']).toMatchObject({ type: 'session' });
  });

  test("a webhook that a key turned is the key's from then on", async () => {
    const { owner, projectScope, act, make, find } = await world();
    const { id } = await make(owner.token);
    const keyId = newId();
    service.liveKeys.add(keyId);
    const path = `/${newId()}`;
    await ask('updateWebhook', { scope: projectScope, id, url: receiver.url(path) }, keyToken(owner, keyId, projectScope));
    service.liveKeys.delete(keyId);
    await act();
    await until(async () => (await find(id))['isActive'] === false);
    expect(receiver.at(path)).toHaveLength(0);
  });

  test('a delivery of a stopped webhook is not replayed', async () => {
    const { owner, projectScope, act, make, find } = await world();
    const keyId = newId();
    service.liveKeys.add(keyId);
    const { id, path } = await make(keyToken(owner, keyId, projectScope));
    await act();
    await until(() => receiver.at(path).length === 1);
    service.liveKeys.delete(keyId);
    // A question that was under way when the key ended may be remembered for two seconds.
    await until(async () => {
      await service.query(`UPDATE webhooks SET voucher_asked_at = now() - interval '2 minutes' WHERE id = $1`, [id]);
      service.announceChange(newId());
      await service.vouching.askForOldest();
      return (await find(id))['isActive'] === false;
    });
    const { items } = await ask('listWebhookDeliveries', { scope: projectScope, id }, owner.token);
    const deliveryId = String((items as Record<string, unknown>[])[0]?.['id']);
    const { code, key } = await call(service, 'rest', 'replayWebhookDelivery', { scope: projectScope, id, deliveryId }, owner.token);
    expect([code, key]).toStrictEqual(['CONFLICT', 'errors.webhook.unvouched']);
  });
});

describe('what an app made', () => {
  test.each([
    ['is deleted', { isVouched: false }],
    ['may no longer read the log', { scopes: ['Webhook:Create'] }],
  ])('stops when the app %s', async (_, end: object) => {
    const { owner, projectScope, act, make, find } = await world();
    const [tokenId, appId] = [newId(), newId()];
    const app = { appId, isVouched: true, scopes: ['AuditEvent:Query'] };
    service.identity.apps.set(tokenId, app);
    const { id, path } = await make(`app.${owner.id}.${tokenId}.${projectScope.id}`);
    expect((await find(id))['voucher']).toMatchObject({ type: 'app', userId: owner.id, appId, apiKeyId: null });
    await act();
    await until(() => receiver.at(path).length === 1);
    Object.assign(app, end);
    service.announceChange(newId());
    await act();
    await until(async () => (await find(id))['isActive'] === false);
    expect(receiver.at(path)).toHaveLength(1);
  });
});

describe('what a person made in a session', () => {
  test('stops at once when the person may no longer read the log, also while nothing happens', async () => {
    const { admin, organizationId, make, find } = await world();
    const { id, path } = await make(admin.token);
    service.rbac.receive({
      type: 'member.added',
      payload: { organizationId, userId: admin.id, roleId: service.rbac.roleId(organizationId, 'Viewer') },
    });
    service.rbac.withheldFrom.add(admin.id);
    service.announceChange(organizationId);
    await until(async () => (await find(id))['isActive'] === false);
    await until(() => mails('webhook-stopped', path).length === 1);
    expect(mails('webhook-unvouched', path)).toHaveLength(0);
  });

  test('goes on for three days after the person has left, and stops when nobody vouches', async () => {
    const { owner, admin, organizationId, scope, act, make, find } = await world();
    const { id, path } = await make(admin.token, { scope });
    await ask('removeOrganizationMember', { scope, userId: admin.id }, owner.token);
    service.announceChange(organizationId);
    await until(async () => Object(await find(id, scope))['voucher'].until !== null);
    await until(() => mails('webhook-unvouched', path).length === 1);
    await act();
    await until(() => receiver.at(path).length === 1);
    const pass = async (hours: number) => {
      await service.query(`UPDATE webhooks SET vouched_until = vouched_until - interval '${hours} hours' WHERE id = $1`, [id]);
      service.announceChange(organizationId);
    };
    await pass(49);
    await until(() => mails('webhook-unvouched', path).length === 2);
    await pass(24);
    await until(async () => (await find(id, scope))['isActive'] === false);
    await act();
    await until(() => mails('webhook-stopped', path).length === 1);
    expect(receiver.at(path)).toHaveLength(1);
    const { items } = await ask('listAuditEvents', { scope, targetId: id }, owner.token);
    const actions = (items as Record<string, unknown>[]).map(({ action }) => action);
    expect(actions).toStrictEqual(['webhook.stopped', 'webhook.unvouched', 'webhook.created']);
  });

  test('is asked about no more once a member vouches within the three days', async () => {
    const { owner, admin, organizationId, scope, make, find } = await world();
    const { id } = await make(admin.token, { scope });
    await ask('removeOrganizationMember', { scope, userId: admin.id }, owner.token);
    service.announceChange(organizationId);
    await until(async () => Object(await find(id, scope))['voucher'].until !== null);
    await ask('vouchForWebhook', { scope, id }, owner.token);
    service.announceChange(organizationId);
    expect(await find(id, scope)).toMatchObject({ isActive: true, voucher: { userId: owner.id, endedAt: null, until: null } });
  });
});

test('what somebody directed, or whom they invited, before the mailbox took their account back ends with that', async () => {
  const { owner, admin, organizationId, scope, projectScope, act, make, find } = await world();
  const { id, path } = await make(admin.token);
  const keyId = newId();
  service.liveKeys.add(keyId);
  const ofKey = await make(keyToken(admin, keyId, projectScope));
  const ofOwner = await make(owner.token);
  const email = `${newId()}@example.com`;
  const roleId = service.rbac.roleId(organizationId, 'Viewer');
  const invitation = await ask('inviteMember', { scope, email, roleId }, admin.token);
  expect(await service.deliverEvent('user.reclaimed', { userId: admin.id })).toBe(true);
  await act();
  await until(() => receiver.at(ofOwner.path).length === 1);
  await until(async () => (await Promise.all([id, ofKey.id].map((of) => find(of)))).every(({ isActive }) => isActive === false));
  expect([receiver.at(path), receiver.at(ofKey.path)]).toStrictEqual([[], []]);
  await until(() => mails('webhook-stopped', path).length === 1);
  const { items } = await ask('listOrganizationInvitations', { scope, ids: [String(invitation['id'])] }, owner.token);
  expect((items as Record<string, unknown>[]).map(({ status }) => status)).toStrictEqual(['revoked']);
});

test('nothing is sent while nobody can tell whether the voucher holds', async () => {
  const { owner, projectScope, act, make } = await world();
  const keyId = newId();
  service.liveKeys.add(keyId);
  const { path } = await make(keyToken(owner, keyId, projectScope));
  service.unreachableVouchers.value = true;
  service.announceChange(newId());
  await act();
  await until(() => service.unreachableVouchers.calls > 0);
  expect(receiver.at(path)).toHaveLength(0);
  service.unreachableVouchers.value = false;
});

test('a webhook of which nobody is known stops, and is told of nothing', async () => {
  const { owner, act, make, find } = await world();
  const { id, path } = await make(owner.token);
  await service.query('UPDATE webhooks SET voucher = NULL WHERE id = $1', [id]);
  await act();
  await until(async () => (await find(id))['isActive'] === false);
  expect(receiver.at(path)).toHaveLength(0);
});
