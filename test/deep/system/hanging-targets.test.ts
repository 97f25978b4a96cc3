/** What the hanging targets of one person cost a neighbour (docs/reliability.md). */
import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call, type Input } from '../../../services/tenancy/src/testing/call.ts';
import { openTestService } from '../../../services/tenancy/src/testing/service.ts';
import { openDeliverer, openReceiver } from '../../../services/tenancy/src/testing/webhooks.ts';
import { createSender } from '../../../services/tenancy/src/webhooks/sender.ts';
import { until } from '../../support/until.ts';

const deliveries = 7;

/** The time from a change to its delivery: of a known webhook (median), and of a new one. */
async function neighbourOf(organizations: number) {
  await using cleanup = new AsyncDisposableStack();
  const service = await openTestService();
  cleanup.defer(() => service.close());
  const receiver = await openReceiver(cleanup);
  receiver.behaviours.set('/hangs', 'hang');
  service.relay.start();
  // As in production: 64 places, a look at what is due each second, 10 s for an answer.
  openDeliverer(service, cleanup, { pollMs: 1_000, sender: createSender({ allowPrivate: true, timeoutMs: 10_000 }) });
  const ask = async (name: string, input: Input, token: string) => {
    const { code, data } = await call(service, 'rest', name, input, token);
    if (code !== undefined) throw new Error(`${name}: ${code}`);
    return data;
  };
  const hook = async (path: string, { scope, token }: { readonly scope: object; readonly token: string }) => {
    await ask('createWebhook', { scope, url: receiver.url(path), eventTypes: ['organization.updated'] }, token);
  };
  const deliver = async (path: string, { scope, id, token }: { readonly scope: object; readonly id: string; readonly token: string }) => {
    const before = receiver.at(path).length;
    const startedAt = performance.now();
    await ask('updateOrganization', { scope, id, name: newId() }, token);
    await until(() => receiver.at(path).length > before, 60_000);
    return performance.now() - startedAt;
  };

  const well = await service.createOrganization();
  const neighbour = { scope: well.scope, id: well.organizationId, token: well.owner.token };
  await hook('/well', neighbour);
  await deliver('/well', neighbour);

  const { owner } = await service.createOrganization();
  for (let count = 0; count < organizations; count += 1) {
    const { id } = await ask('createOrganization', { scope: { tenant: 'account', id: owner.accountId }, name: newId() }, owner.token);
    const scope = { tenant: 'organization', id };
    await service.relay.deliver([]);
    await hook('/hangs', { scope, token: owner.token });
    await ask('updateOrganization', { scope, id, name: newId() }, owner.token);
  }
  if (organizations > 0) await until(() => receiver.at('/hangs').length >= 8, 60_000);
  const known: number[] = [];
  for (let count = 0; count < deliveries; count += 1) known.push(await deliver('/well', neighbour));
  const other = await service.createOrganization();
  const stranger = { scope: other.scope, id: other.organizationId, token: other.owner.token };
  await hook('/new', stranger);
  const fresh = await deliver('/new', stranger);
  return { known: known.toSorted((one, two) => one - two)[Math.floor(deliveries / 2)] ?? 0, fresh };
}

test('one person’s hanging targets in many organizations hold no neighbour’s delivery', async () => {
  const quiet = await neighbourOf(0);
  const lines = [`0 organizations: ${Math.round(quiet.known)} ms, new ${Math.round(quiet.fresh)} ms`];
  for (const organizations of [100, 250]) {
    const { known, fresh } = await neighbourOf(organizations);
    lines.push(`${organizations} organizations: ${Math.round(known)} ms, new ${Math.round(fresh)} ms`);
    // A round of hanging targets is 10 s.
    expect(Math.max(known, fresh)).toBeLessThan(8_000);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  expect(lines).toHaveLength(3);
});
