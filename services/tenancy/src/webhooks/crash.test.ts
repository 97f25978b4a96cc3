import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../test/support/until.ts';
import { call } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { openDeliverer, openReceiver } from '../testing/webhooks.ts';

const service = await openTestService();
const cleanup = new AsyncDisposableStack();
const receiver = await openReceiver(cleanup);
afterAll(async () => {
  await cleanup.disposeAsync();
  await service.close();
});

async function liveAndDie(point: string, payload: object): Promise<void> {
  const fixture = fileURLToPath(new URL('crash.fixture.ts', import.meta.url));
  const life = spawn(process.execPath, [fixture, service.testDatabase.urls.tenancy, point, JSON.stringify(payload)]);
  const [, signal] = await once(life, 'close');
  expect(signal).toStrictEqualFor(`the process did not reach '${point}'`, 'SIGKILL');
}

/** How often the target has heard of it when the process died, and afterwards in all. */
const points = { recording: [0, 1], recorded: [0, 1], leased: [0, 1], sent: [1, 2], settling: [1, 2] } as const;

describe('a process that is killed', () => {
  for (const [point, [before, inAll]] of Object.entries(points))
    test(`while it is ${point}: the delivery arrives, settled, under one webhook-id`, async () => {
      const { owner, organizationId, scope } = await service.createOrganization();
      const path = `/${newId()}`;
      const hook = { scope, url: receiver.url(path), eventTypes: ['role.created'] };
      const { data } = await call(service, 'rest', 'createWebhook', hook, owner.token);
      const row = {
        id: newId(),
        at: new Date().toISOString(),
        operation: 'createRole',
        action: 'role.created',
        outcome: 'ok',
        code: null,

        actor_id: owner.id,
        actor_type: 'session',
        token_id: null,
        app_id: null,
        scope_tenant: 'organization',
        scope_id: organizationId,
        target_type: 'Role',
        target_id: newId(),
        detail: {},
        changes: [],
        ip_address: '',
        user_agent: '',
        request_id: 'r',
      };
      await service.query('TRUNCATE inbox');
      await liveAndDie(point, { row });
      expect(receiver.at(path)).toHaveLength(before);
      // The relay of rbac sends again what was not accepted.
      expect(await service.deliverEvent('audit.recorded', { row })).toBe(true);
      const deliverer = openDeliverer(service, cleanup);
      await until(async () => {
        const [found] = await service.query<{ status: string }>('SELECT status FROM webhook_deliveries WHERE webhook_id = $1', [data.id]);
        return found?.status === 'delivered';
      });
      await deliverer.stop();
      service.deliverers.delete(deliverer);
      expect(receiver.at(path)).toHaveLength(inAll);
      expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    });
});
