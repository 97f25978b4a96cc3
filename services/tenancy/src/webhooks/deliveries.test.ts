/** From an audit row to the receiver. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { Webhook } from 'standardwebhooks';
import { until } from '../../../../test/support/until.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { openDeliverer, openReceiver, passHours, type Received } from '../testing/webhooks.ts';

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

/** An organization with a webhook at a path of its own. */
async function world(given: Input = {}) {
  const { owner, organizationId, scope } = await service.createOrganization();
  const path = `/${newId()}`;
  const hook = await ask('createWebhook', { scope, url: receiver.url(path), eventTypes: ['organization.updated'], ...given }, owner.token);
  const rename = (name: string) => ask('updateOrganization', { scope, id: organizationId, name }, owner.token);
  const deliveries = async (): Promise<Record<string, unknown>[]> => {
    const { items } = await ask('listWebhookDeliveries', { scope, id: hook.id }, owner.token);
    return items as Record<string, unknown>[];
  };
  return { owner, organizationId, scope, path, id: String(hook.id), secret: String(hook.secret), rename, deliveries };
}

const namesOf = (received: readonly Received[]) => received.map(({ message }) => Object(message.data)['changes'][0].after);

function verify({ body, headers }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

describe('a delivery', () => {
  test('has the item of the audit log, and a signature that the library of Standard Webhooks verifies', async () => {
    const { owner, organizationId, scope, path, secret, rename, deliveries } = await world();
    await rename('Renamed');
    await until(() => receiver.at(path).length === 1);
    const [one] = receiver.at(path);
    if (one === undefined) throw new Error('nothing came');
    expect(verify(one, secret)).toStrictEqual(one.message);
    expect(() => verify({ ...one, body: one.body.replace('Renamed', 'Forged') }, secret)).toThrow(/No matching signature/);
    const { items } = await ask('listAuditEvents', { scope, action: 'organization.updated' }, owner.token);
    const [item] = items as Record<string, unknown>[];
    expect(one.message).toStrictEqual({ type: 'organization.updated', timestamp: item?.['at'], data: { ...item, hash: null } });
    expect(item).toMatchObject({ actor: { id: owner.id, name: 'Olga Owner' }, target: { id: organizationId } });
    await until(async () => (await deliveries())[0]?.['status'] === 'delivered');
    const [listed] = await deliveries();
    expect(listed).toMatchObject({ id: one.headers['webhook-id'], eventType: 'organization.updated', nextAttemptAt: null });
    expect(listed?.['attempts']).toStrictEqual([{ at: expect.any(String), status: 204, durationMs: expect.any(Number), error: null }]);
  });

  test('is signed with both secrets for a day after one was replaced, then with the new one', async () => {
    const { owner, scope, path, id, secret, rename } = await world();
    const { secret: next, olderUntil } = await ask('createWebhookSecret', { scope, id }, owner.token);
    expect(Date.parse(String(olderUntil)) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await rename('Between');
    await until(() => receiver.at(path).length === 1);
    const [between] = receiver.at(path);
    for (const valid of [secret, String(next)]) expect(verify(between as Received, valid)).toMatchObject({ type: 'organization.updated' });
    await passHours(service, 25);
    await rename('After');
    await until(() => receiver.at(path).length === 2);
    const [, after] = receiver.at(path);
    expect(verify(after as Received, String(next))).toMatchObject({ type: 'organization.updated' });
    expect(() => verify(after as Received, secret)).toThrow(/No matching signature/);
  });

  test('secrets are sealed in the database', async () => {
    const { id, secret } = await world();
    const [row] = await service.query<{ secret: Buffer }>('SELECT secret FROM webhooks WHERE id = $1', [id]);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(row?.secret.includes(key)).toBe(false);
    expect(row?.secret.includes(secret)).toBe(false);
  });

  test('first attempts come in order, also when some of them fail', async () => {
    const { path, rename } = await world();
    receiver.behaviours.set(path, (count) => (count % 3 === 0 ? 500 : 200));
    const names = Array.from({ length: 12 }, (_, index) => `Name ${index}`);
    for (const name of names) await rename(name);
    await until(() => new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size === names.length);
    const first = receiver.at(path).filter(({ headers }, index, all) => {
      return all.findIndex((other) => other.headers['webhook-id'] === headers['webhook-id']) === index;
    });
    expect(namesOf(first)).toStrictEqual(names);
  });
});

describe('what is sent', () => {
  test('events of the chosen types and outcomes only, of the organization and its projects', async () => {
    const { owner, organizationId, scope, path, rename } = await world({
      eventTypes: ['project.updated', 'organization.updated'],
      outcomes: ['refused'],
    });
    const viewer = await service.addMember(organizationId, 'Viewer');
    const { id: projectId } = await ask('createProject', { scope, name: 'Rocket' }, owner.token);
    await rename('Accepted');
    const refused = await call(service, 'rest', 'updateProject', { scope, id: projectId, name: 'No' }, viewer.token);
    expect(refused.code).toBe('FORBIDDEN');
    await until(() => receiver.at(path).length === 1);
    await rename('Accepted again');
    expect(receiver.at(path).map(({ message }) => [message.type, message.data['outcome'], message.data['reason']])).toStrictEqual([
      ['project.updated', 'refused', 'FORBIDDEN'],
    ]);
  });

  test('a webhook of a project is told of that project alone, and nothing comes from another tenant', async () => {
    const { owner, organizationId, scope, path: ofOrganization, rename } = await world({ eventTypes: ['*'] });
    const [{ id: one }, { id: other }] = [
      await ask('createProject', { scope, name: 'One' }, owner.token),
      await ask('createProject', { scope, name: 'Other' }, owner.token),
    ];
    const path = `/${newId()}`;
    const place = (projectId: unknown) => ({ tenant: 'organizationProject', id: `${organizationId}:${projectId}` });
    const hook = { url: receiver.url(path), eventTypes: ['*'] };
    await ask('createWebhook', { scope: place(one), ...hook }, owner.token);
    const stranger = await world({ eventTypes: ['*'] });
    await stranger.rename('Elsewhere');
    await rename('Here');
    // In the second project, which is not watched but by the organization.
    const quiet = `/${newId()}`;
    await ask('createWebhook', { scope: place(other), url: receiver.url(quiet), eventTypes: ['webhook.deleted'] }, owner.token);
    const { id } = await ask('createWebhook', { scope: place(one), ...hook, isActive: false, eventTypes: ['user.updated'] }, owner.token);
    await ask('deleteWebhook', { scope: place(one), id }, owner.token);
    await until(() => receiver.at(path).some(({ message }) => message.type === 'webhook.deleted'));
    await until(() => receiver.at(ofOrganization).some(({ message }) => message.type === 'webhook.deleted'));
    expect(new Set(receiver.at(path).map(({ message }) => Object(message.data['scope']).id))).toStrictEqual(new Set([place(one).id]));
    const roots = (at: string) => new Set(receiver.at(at).map(({ message }) => Object(message.data['scope']).id.split(':')[0]));
    expect(roots(ofOrganization)).toStrictEqual(new Set([organizationId]));
    expect(roots(stranger.path)).toStrictEqual(new Set([stranger.organizationId]));
    expect(receiver.at(quiet)).toStrictEqual([]);
  });

  test('a tenant without webhooks leaves no event, and one that has removed its last one neither', async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const events = async () =>
      (await service.query<{ count: number }>(`SELECT count(*) FROM outbox WHERE key = $1`, [`audit:${organizationId}`]))[0]?.count;
    await ask('updateOrganization', { scope, id: organizationId, name: 'Quiet' }, owner.token);
    expect(await events()).toBe(0);
    const { id } = await ask('createWebhook', { scope, url: receiver.url('/quiet'), eventTypes: ['*'] }, owner.token);
    await ask('updateOrganization', { scope, id: organizationId, name: 'Told' }, owner.token);
    const told = await events();
    expect(told).toBeGreaterThan(0);
    await ask('deleteWebhook', { scope, id }, owner.token);
    await until(async () => (await service.query('SELECT FROM audit_watches WHERE scope_id = $1', [organizationId])).length === 0);
    const after = await events();
    await ask('updateOrganization', { scope, id: organizationId, name: 'Quiet again' }, owner.token);
    expect(await events()).toBe(after);
  });

  test('an event that comes twice is delivered once', async () => {
    const { path, organizationId, rename, deliveries } = await world();
    await rename('Once');
    await until(() => receiver.at(path).length === 1);
    const [row] = await service.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(a) AS row FROM audit_log a WHERE scope_id = $1 AND action = 'organization.updated'`,
      [organizationId],
    );
    expect(await service.deliverEvent('audit.recorded', { row: row?.row ?? {} })).toBe(true);
    expect(await deliveries()).toHaveLength(1);
  });
});

describe('switched off, tested, replayed', () => {
  test('switched off it is told nothing; a test goes out, and is not tried again', async () => {
    const { owner, scope, id, path, rename, deliveries } = await world();
    await ask('updateWebhook', { scope, id, isActive: false }, owner.token);
    await rename('Unheard');
    receiver.behaviours.set(path, 500);
    const test = await ask('testWebhook', { scope, id }, owner.token);
    expect(test).toMatchObject({ eventType: 'webhook.test', status: 'waiting', attempts: [], auditId: null });
    await until(async () => (await deliveries()).some(({ status }) => status === 'failed'));
    expect(receiver.at(path).map(({ message }) => message.type)).toStrictEqual(['webhook.test']);
    expect(await deliveries()).toMatchObject([{ id: test.id, attempts: [{ status: 500, error: 'status' }], nextAttemptAt: null }]);
  });

  test('what waits while it is off is sent when it is on again', async () => {
    const { owner, scope, id, path, rename, deliveries } = await world();
    receiver.behaviours.set(path, 503);
    await rename('Waits');
    await until(async () => (await deliveries())[0]?.['nextAttemptAt'] !== undefined && receiver.at(path).length === 1);
    await ask('updateWebhook', { scope, id, isActive: false }, owner.token);
    receiver.behaviours.set(path, 200);
    await passHours(service, 1);
    await ask('updateWebhook', { scope, id, isActive: true }, owner.token);
    await until(async () => (await deliveries())[0]?.['status'] === 'delivered');
    expect(receiver.at(path)).toHaveLength(2);
  });

  test('a replay has the same webhook-id and body', async () => {
    const { owner, scope, id, path, rename, deliveries } = await world();
    await rename('Again');
    await until(async () => (await deliveries())[0]?.['status'] === 'delivered');
    const [{ id: deliveryId } = {}] = await deliveries();
    await ask('replayWebhookDelivery', { scope, id, deliveryId }, owner.token);
    await until(() => receiver.at(path).length === 2);
    const [first, second] = receiver.at(path);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    await until(async () => Object((await deliveries())[0])['attempts'].length === 2);
  });

  test('a replay is refused while an attempt is under way', async () => {
    const { owner, scope, id, path, rename, deliveries } = await world();
    receiver.behaviours.set(path, 'hang');
    await rename('Slow');
    await until(() => receiver.at(path).length === 1);
    const [{ id: deliveryId } = {}] = await deliveries();
    const { code, key } = await call(service, 'rest', 'replayWebhookDelivery', { scope, id, deliveryId }, owner.token);
    expect([code, key]).toStrictEqual(['CONFLICT', 'errors.webhookDelivery.underWay']);
  });
});

describe('an end', () => {
  test('nothing is sent any more once the organization, the project or the webhook is deleted', async () => {
    const { owner, organizationId, scope, path, rename } = await world();
    receiver.behaviours.set(path, 500);
    await rename('Fails');
    await until(() => receiver.at(path).length === 1);
    await ask('deleteOrganization', { scope, id: organizationId }, owner.token);
    await passHours(service, 1);
    const other = await world();
    receiver.behaviours.set(other.path, 500);
    await other.rename('Fails');
    await until(() => receiver.at(other.path).length === 1);
    await ask('deleteWebhook', { scope: other.scope, id: other.id }, other.owner.token);
    await passHours(service, 1);
    const witness = await world();
    await witness.rename('Works');
    await until(() => receiver.at(witness.path).length === 1);
    expect([receiver.at(path).length, receiver.at(other.path).length]).toStrictEqual([1, 1]);
    expect(await service.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [other.id])).toStrictEqual([]);
  });
});
