/** Targets that fail, hang, redirect or never end, and what that means for the others. */
import { describe, expect, test } from '@jest/globals';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import { statement } from '@tessera/kernel/postgres';
import { until } from '../../../../test/support/until.ts';
import { lockWebhooksOf } from '../storage/webhooks.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { openDeliverer, openReceiver, passHours } from '../testing/webhooks.ts';
import { pruneWebhooks } from './jobs.ts';
import { createSender } from './sender.ts';

async function open(cleanup: AsyncDisposableStack, options: Parameters<typeof openDeliverer>[2] = {}) {
  const service = await openTestService();
  cleanup.defer(() => service.close());
  const receiver = await openReceiver(cleanup);
  service.relay.start();
  openDeliverer(service, cleanup, options);
  const ask = async (name: string, input: Input, token: string) => {
    const { code, data } = await call(service, 'rest', name, input, token);
    if (code !== undefined) throw new Error(`${name}: ${code}`);
    return data;
  };
  const hook = async (path: string, given: Input = {}) => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const made = { scope, url: receiver.url(path), eventTypes: ['organization.updated'], ...given };
    const { id } = await ask('createWebhook', made, owner.token);
    const rename = () => ask('updateOrganization', { scope, id: organizationId, name: newId() }, owner.token);
    const read = async () => {
      const [one] = ((await ask('listWebhooks', { scope }, owner.token)).items as Record<string, unknown>[]).filter(
        (found) => found['id'] === id,
      );
      const { items } = await ask('listWebhookDeliveries', { scope, id }, owner.token);
      return { webhook: one ?? {}, deliveries: items as Record<string, unknown>[] };
    };
    return { owner, organizationId, scope, id: String(id), rename, read };
  };
  return { service, receiver, ask, hook };
}

describe('a suspended organization', () => {
  test('is sent nothing, neither first attempts nor retries nor tests; after it is resumed all of it in order', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, ask, hook } = await open(cleanup);
    const [first, other] = [await hook('/suspended'), await hook('/other')];
    const operator = await service.register('Operator');
    service.identity.administrators.add(operator.id);
    const act = (what: 'suspendTenant' | 'resumeTenant') => ask(what, { id: first.organizationId }, `${operator.token}.fresh`);
    receiver.behaviours.set('/suspended', 500);
    await first.rename();
    await until(async () => (await first.read()).webhook['failingSince'] !== null);
    receiver.behaviours.delete('/suspended');
    await act('suspendTenant');
    for (let times = 0; times < 3; times += 1) await first.rename();
    await ask('testWebhook', { scope: first.scope, id: first.id }, first.owner.token);
    await passHours(service, 100);
    await service.query(`UPDATE tenant_restrictions SET suspended_at = suspended_at - interval '100 hours'`);
    await other.rename();
    await until(() => receiver.at('/other').length === 1);
    // The deliverer looked again: what it sent to the other was due later than all of these.
    expect(receiver.at('/suspended')).toHaveLength(1);
    await act('resumeTenant');
    await until(async () => (await first.read()).deliveries.every(({ status }) => status === 'delivered'));
    const sent = receiver.at('/suspended').slice(1);
    expect(sent).toHaveLength(5);
    const timesOf = (type: string) => sent.filter(({ message }) => message.type === type).map(({ message }) => message.timestamp);
    const inOrder = timesOf('organization.updated').filter((at) => at !== receiver.at('/suspended')[0]?.message.timestamp);
    expect(inOrder).toHaveLength(3);
    expect(inOrder).toStrictEqual(inOrder.toSorted());
    expect((await first.read()).webhook).toMatchObject({ isActive: true, failingSince: null });
  });

  test('does not count its suspension among the three days after which a target is given up', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, ask, hook } = await open(cleanup);
    const { organizationId, rename, read } = await hook('/slow-to-mend');
    const operator = await service.register('Operator');
    service.identity.administrators.add(operator.id);
    receiver.behaviours.set('/slow-to-mend', 500);
    await rename();
    await until(async () => (await read()).webhook['failingSince'] !== null);
    await ask('suspendTenant', { id: organizationId }, `${operator.token}.fresh`);
    await passHours(service, 100);
    await service.query(`UPDATE tenant_restrictions SET suspended_at = suspended_at - interval '100 hours'`);
    await ask('resumeTenant', { id: organizationId }, `${operator.token}.fresh`);
    await until(() => receiver.at('/slow-to-mend').length === 2);
    await until(async () => Object((await read()).deliveries[0])['attempts'].length === 2);
    const { webhook, deliveries } = await read();
    expect(webhook).toMatchObject({ isActive: true });
    expect(deliveries[0]).toMatchObject({ status: 'waiting', nextAttemptAt: expect.any(String) });
  });
});

describe('a webhook of a customer in the project of another organization', () => {
  for (const [what, suspend, resume] of [
    ['the grant', 'suspendProjectGrant', 'resumeProjectGrant'],
    ['the owner of the project', 'suspendTenant', 'resumeTenant'],
  ] as const)
    test(`is not given up because of the time in which ${what} was suspended`, async () => {
      await using cleanup = new AsyncDisposableStack();
      const { service, receiver, ask } = await open(cleanup);
      const [globex, acme] = [await service.createOrganization(), await service.createOrganization()];
      const { id: projectId } = await ask('createProject', { scope: globex.scope, name: 'Billing' }, globex.owner.token);
      const product = { tenant: 'organizationProject', id: `${globex.organizationId}:${projectId}` };
      const scope = { tenant: 'organizationProject', id: `${acme.organizationId}:${projectId}` };
      const offer = { scope: product, organizationId: acme.organizationId };
      const { id: grantId } = await ask('createProjectGrant', offer, globex.owner.token);
      await ask('acceptProjectGrant', { scope: acme.scope, id: String(grantId) }, `${acme.owner.token}.fresh`);
      receiver.behaviours.set('/customer', 500);
      const hook = { scope, url: receiver.url('/customer'), eventTypes: ['webhook.updated'] };
      const { id } = await ask('createWebhook', hook, acme.owner.token);
      const read = async () => {
        const { items } = await ask('listWebhooks', { scope }, acme.owner.token);
        return (items as Record<string, unknown>[])[0] ?? {};
      };
      const attempts = async () => {
        const { items } = await ask('listWebhookDeliveries', { scope, id: String(id) }, acme.owner.token);
        return Object((items as Record<string, unknown>[])[0])['attempts']?.length;
      };
      await ask('updateWebhook', { scope, id: String(id), description: 'mine' }, acme.owner.token);
      await until(async () => (await read())['failingSince'] !== null);
      const operator = await service.register('Operator');
      service.identity.administrators.add(operator.id);
      const move = (name: string) =>
        name.endsWith('Tenant')
          ? ask(name, { id: globex.organizationId }, `${operator.token}.fresh`)
          : ask(name, { scope: product, id: String(grantId) }, globex.owner.token);
      await move(suspend);
      await passHours(service, 100);
      await service.query(`UPDATE tenant_restrictions SET suspended_at = suspended_at - interval '100 hours'`);
      await service.query(`UPDATE project_grants SET suspended_at = suspended_at - interval '100 hours'`);
      await move(resume);
      await until(async () => (await attempts()) === 2);
      expect(await read()).toMatchObject({ isActive: true, disabledAt: null });
      // What it had failed before still counts: with the rest of the three days it is given up.
      await passHours(service, 73);
      await until(async () => (await read())['isActive'] === false);
    });
});

describe('a target that fails', () => {
  test('is tried again after 5 s, 30 s, 5 min, 30 min, 2 h, then every 5 h for three days, switched off, and the owners are told', async () => {
    await using cleanup = new AsyncDisposableStack();
    const letters: OutgoingEvent[] = [];
    const tellOwners = async () => {
      const messageId = newId();
      const payload = { messageId, to: 'owner@example.com', template: 'webhook-disabled', language: 'en', data: { token: '' } };
      letters.push({ type: 'mail.requested', key: messageId, payload });
      return [...letters];
    };
    const { service, receiver, ask, hook } = await open(cleanup, { tellOwners });
    receiver.behaviours.set('/dead', 500);
    const { owner, scope, id, rename, read } = await hook('/dead');
    const watcher = await ask('createWebhook', { scope, url: receiver.url('/watcher'), eventTypes: ['webhook.disabled'] }, owner.token);
    await rename();
    const waits: number[] = [];
    for (let attempts = 1; ; attempts += 1) {
      await until(() => receiver.at('/dead').length === attempts);
      await until(async () => Object((await read()).deliveries[0])['attempts'].length === Math.min(attempts, 30));
      const [delivery] = (await read()).deliveries;
      if (delivery?.['nextAttemptAt'] === null) break;
      const [row] = await service.query<{ wait: number }>(
        `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS wait FROM webhook_deliveries WHERE webhook_id = $1`,
        [id],
      );
      waits.push(row?.wait ?? 0);
      await passHours(service, (row?.wait ?? 0) / 3_600);
    }
    const expected = [5, 30, 300, 1_800, 7_200];
    for (const [index, seconds] of expected.entries()) {
      expect(waits[index]).toBeGreaterThan(seconds - 5);
      expect(waits[index]).toBeLessThan(seconds * 1.1 + 1);
    }
    const total = waits.reduce((sum, wait) => sum + wait, 0) / 3_600;
    expect(waits.slice(5).every((wait) => wait > 17_900 && wait < 19_900)).toBe(true);
    expect(total).toBeGreaterThan(66);
    expect(total).toBeLessThan(73);
    const { webhook, deliveries } = await read();
    expect(deliveries).toMatchObject([{ status: 'failed' }]);
    expect(webhook).toMatchObject({ isActive: false, disabledAt: expect.any(String) });
    expect(letters).toHaveLength(1);
    await until(() => receiver.at('/watcher').length === 1);
    expect(receiver.at('/watcher')[0]?.message.data).toMatchObject({
      action: 'webhook.disabled',
      actor: { type: 'system' },
      target: { type: 'Webhook', id },
      changes: [{ field: 'isActive', before: true, after: false }],
    });
    expect(watcher['isActive']).toBe(true);
    expect(service.identity.mails.filter(({ template }) => template === 'webhook-disabled')).toHaveLength(1);
  });

  test('is switched off after a change that is under way', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, hook } = await open(cleanup);
    receiver.behaviours.set('/gone', 500);
    const { scope, id, rename, read } = await hook('/gone');
    await rename();
    await until(async () => (await read()).webhook['failingSince'] !== null);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const [begun, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = service.database.transaction(async (tx) => {
      await lockWebhooksOf(tx, scope);
      begun.resolve();
      await waited.promise;
      await tx.query(statement('test_lock_webhook', 'SELECT 1 FROM webhooks WHERE id = $1 FOR UPDATE'), [id]);
    });
    await begun.promise;
    await passHours(service, 73);
    await until(async () => (await service.query(waiting)).length > 0).finally(waited.resolve);
    await change;
    await until(async () => (await read()).webhook['isActive'] === false);
    expect(receiver.at('/gone')).toHaveLength(2);
  });

  test('a single event that is never accepted does not switch off a target that accepts others', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, hook } = await open(cleanup);
    const { rename, read } = await hook('/picky');
    let poison: string | undefined;
    receiver.behaviours.set('/picky', () => {
      const id = String(receiver.at('/picky').at(-1)?.headers['webhook-id']);
      poison ??= id;
      return id === poison ? 400 : 200;
    });
    await rename();
    await until(() => receiver.at('/picky').length === 1);
    await rename();
    await until(async () => (await read()).deliveries[0]?.['status'] === 'delivered');
    await passHours(service, 72);
    await until(async () => (await read()).deliveries[1]?.['status'] === 'failed');
    expect((await read()).webhook).toMatchObject({ isActive: true, disabledAt: null });
  });

  test('a redirect is a failure and is not followed; an endless answer counts by its status', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { receiver, hook } = await open(cleanup);
    receiver.behaviours.set('/moved', 307);
    receiver.behaviours.set('/endless', 'endless');
    const [moved, endless] = [await hook('/moved'), await hook('/endless')];
    await moved.rename();
    await endless.rename();
    await until(async () => Object((await moved.read()).deliveries[0])['attempts']?.length === 1);
    expect((await moved.read()).deliveries[0]).toMatchObject({ status: 'waiting', attempts: [{ status: 307, error: 'status' }] });
    expect(receiver.at('/redirected')).toStrictEqual([]);
    await until(async () => (await endless.read()).deliveries[0]?.['status'] === 'delivered');
  });
});

describe('fairness', () => {
  test('targets that hang delay no other tenant’s, however many they are', async () => {
    await using cleanup = new AsyncDisposableStack();
    const limits = { most: 4, mostSlow: 2, mostOfTenant: 2, leaseMs: 10_000 };
    const sender = createSender({ allowPrivate: true, timeoutMs: 500 });
    const { receiver, hook } = await open(cleanup, { limits, sender });
    receiver.behaviours.set('/hangs', 'hang');
    const hanging = await Promise.all(Array.from({ length: 12 }, () => hook('/hangs')));
    for (const { rename } of hanging) await rename();
    // Each has failed once: from then on they wait for each other only.
    await until(() => receiver.at('/hangs').length >= 12, 30_000);
    for (const { rename } of hanging) for (let count = 0; count < 3; count += 1) await rename();
    const well = await hook('/well');
    const tookMs: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const startedAt = performance.now();
      await well.rename();
      await until(() => receiver.at('/well').length === count + 1);
      tookMs.push(performance.now() - startedAt);
    }
    // The poll of the relay and of the deliverer, and no timeout of a target. A machine that stalls
    // may hold up some of them.
    expect(tookMs.toSorted((one, other) => one - other)[2]).toBeLessThan(2_000);
  });

  test('one tenant’s many webhooks leave room for the others', async () => {
    await using cleanup = new AsyncDisposableStack();
    const limits = { most: 4, mostSlow: 4, mostOfTenant: 2, leaseMs: 10_000 };
    const { receiver, ask, hook } = await open(cleanup, { limits, sender: createSender({ allowPrivate: true, timeoutMs: 3_000 }) });
    receiver.behaviours.set('/greedy', 'hang');
    const greedy = await hook('/greedy');
    for (let count = 0; count < 9; count += 1)
      await ask('createWebhook', { scope: greedy.scope, url: receiver.url('/greedy'), eventTypes: ['*'] }, greedy.owner.token);
    await greedy.rename();
    await until(() => receiver.at('/greedy').length >= 2);
    const other = await hook('/other');
    await other.rename();
    await until(() => receiver.at('/other').length === 1, 2_500);
  });

  test('one person’s many organizations leave room for the others', async () => {
    await using cleanup = new AsyncDisposableStack();
    const limits = { most: 4, mostSlow: 4, mostOfTenant: 2, leaseMs: 10_000 };
    const { service, receiver, ask, hook } = await open(cleanup, {
      limits,
      sender: createSender({ allowPrivate: true, timeoutMs: 3_000 }),
    });
    receiver.behaviours.set('/greedy', 'hang');
    const greedy = await hook('/greedy');
    for (let count = 0; count < 9; count += 1) {
      const { id } = await ask(
        'createOrganization',
        { scope: { tenant: 'account', id: greedy.owner.accountId }, name: newId() },
        greedy.owner.token,
      );
      const scope = { tenant: 'organization', id };
      await service.relay.deliver([]);
      await ask('createWebhook', { scope, url: receiver.url('/greedy'), eventTypes: ['*'] }, greedy.owner.token);
      await ask('updateOrganization', { scope, id, name: newId() }, greedy.owner.token);
    }
    await until(() => receiver.at('/greedy').length >= 2);
    const other = await hook('/other');
    await other.rename();
    await until(() => receiver.at('/other').length === 1, 2_500);
  });

  test('a webhook that is new, turned or switched on again waits with slow ones until one quick answer', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, ask, hook } = await open(cleanup);
    const { owner, scope, id, rename } = await hook('/quick');
    const isSlow = async () => (await service.query<{ isSlow: boolean }>('SELECT is_slow AS "isSlow" FROM webhooks'))[0]?.isSlow;
    expect(await isSlow()).toBe(true);
    await rename();
    await until(async () => (await isSlow()) === false);
    for (const change of [{ isActive: true }, { url: receiver.url('/quick/turned') }]) {
      await ask('updateWebhook', { scope, id, ...change }, owner.token);
      expect(await isSlow()).toBe(true);
      await rename();
      await until(async () => (await isSlow()) === false);
    }
  });

  test('two replicas share the work, and send nothing twice', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, hook } = await open(cleanup);
    openDeliverer(service, cleanup);
    const hooks = await Promise.all(Array.from({ length: 6 }, (_, index) => hook(`/shared/${index}`)));
    await Promise.all(
      hooks.map(async ({ rename }) => {
        for (let count = 0; count < 10; count += 1) await rename();
      }),
    );
    await until(() => receiver.received.length >= 60);
    await until(async () => (await service.query(`SELECT FROM webhook_deliveries WHERE status <> 'delivered'`)).length === 0);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
  });
});

describe('a webhook in another’s project that the organization uses', () => {
  test('waits while the grant is suspended, sends all of it in order after that, and goes with the end of the grant', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, ask, hook } = await open(cleanup);
    const [globex, acme] = [await service.createOrganization(), await service.createOrganization()];
    const other = await hook('/other');
    const { id: projectId } = await ask('createProject', { scope: globex.scope, name: 'Billing' }, globex.owner.token);
    const product = { tenant: 'organizationProject', id: `${globex.organizationId}:${projectId}` };
    const used = { tenant: 'organizationProject', id: `${acme.organizationId}:${projectId}` };
    const make = (path: string, eventTypes: string[]) =>
      call(service, 'rest', 'createWebhook', { scope: used, url: receiver.url(path), eventTypes }, acme.owner.token);
    expect((await make('/used', ['webhook.tested'])).code).toBe('NOT_FOUND');
    const grant = await ask('createProjectGrant', { scope: product, organizationId: acme.organizationId }, globex.owner.token);
    await ask('acceptProjectGrant', { scope: acme.scope, id: grant.id }, `${acme.owner.token}.fresh`);
    await make('/used', ['webhook.tested']);
    const { data: quiet } = await make('/quiet', ['webhook.disabled']);
    const act = () => ask('testWebhook', { scope: used, id: String(quiet.id) }, acme.owner.token);
    const byOwner = (name: string) => ask(name, { scope: product, id: grant.id }, globex.owner.token);
    const sent = () => receiver.at('/used').length;
    await act();
    await until(() => sent() === 1);
    await byOwner('suspendProjectGrant');
    for (let times = 0; times < 2; times += 1) await act();
    await other.rename();
    await until(() => receiver.at('/other').length === 1);
    expect(sent()).toBe(1);
    await byOwner('resumeProjectGrant');
    await until(() => sent() === 3);
    await byOwner('endProjectGrant');
    await pruneWebhooks({ db: service.database, retentionDays: 30 });
    expect(await service.query('SELECT FROM webhooks WHERE project_id = $1', [projectId])).toStrictEqual([]);
    expect(await service.query('SELECT FROM webhooks WHERE organization_id = $1', [other.organizationId])).toHaveLength(1);
  });
});

describe('the jobs', () => {
  test('old deliveries go, and webhooks of a deleted project with what is watched for them', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { service, receiver, ask, hook } = await open(cleanup);
    const { owner, organizationId, scope, rename, read } = await hook('/kept');
    const { id: projectId } = await ask('createProject', { scope, name: 'Ends' }, owner.token);
    const place = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    await ask('createWebhook', { scope: place, url: receiver.url('/ended'), eventTypes: ['*'] }, owner.token);
    const watched = async () =>
      (await service.query<{ scope_id: string }>('SELECT scope_id FROM audit_watches')).map((row) => row.scope_id);
    await until(async () => (await watched()).includes(place.id));
    await rename();
    await until(async () => (await read()).deliveries[0]?.['status'] === 'delivered');
    await service.query(`UPDATE webhook_deliveries SET created_at = now() - interval '31 days'`);
    await rename();
    await until(async () => (await read()).deliveries.length === 2);
    await ask('deleteProject', { scope, id: projectId }, owner.token);
    await pruneWebhooks({ db: service.database, retentionDays: 30 });
    expect((await read()).deliveries).toHaveLength(1);
    expect(await service.query('SELECT FROM webhooks WHERE project_id = $1', [projectId])).toStrictEqual([]);
    await until(async () => !(await watched()).includes(place.id));
    expect(await watched()).toContain(organizationId);
  });
});
