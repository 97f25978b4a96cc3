/**
 * Behind the gateway's list of replicas. How services find each other again: kernel `connection`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createTenant } from '../../support/load/tenant.ts';
import { startOwnStack } from '../../support/shared-stack.ts';

const own = await startOwnStack({ replicas: { tenancy: 2 }, env: { NODE_ENV: 'development' } });
const { client, owner, accountId, organizationId } = await createTenant(own.stack, 'restart');
afterAll(() => own.close());

const joined = `query($i: OrganizationsInput!) { organizations(input: $i) { organizations { name roles { name } } } }`;
const ofOrganization = `tenant=organization&scopeId=${organizationId}`;
const requests = [
  () => client.get('/api/me', owner.token),
  () => client.get(`/api/roles?${ofOrganization}`, owner.token),
  () => client.get(`/api/projects?${ofOrganization}`, owner.token),
  () => client.graphql(joined, { i: { scope: { tenant: 'account', id: accountId } } }, owner.token),
] as const;
const pauseMs = 50;

/** Sends 20 requests a second while `work` runs, and returns how many, and those that failed. */
async function failuresDuring(work: () => Promise<void>): Promise<{ readonly sent: number; readonly failed: readonly string[] }> {
  const sent: Promise<string>[] = [];
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  for (let turn = 0; !isDone; turn += 1) {
    const send = requests[turn % requests.length] ?? requests[0];
    sent.push(send().then(({ status, body }) => (status === 200 && !body.errors ? '' : `${status} ${JSON.stringify(body)}`), String));
    await sleep(pauseMs);
  }
  await working;
  const failed = (await Promise.all(sent)).filter((text) => text !== '');
  return { sent: sent.length, failed };
}

test('two replicas restart, one the moment the other is ready, and no request fails', async () => {
  const { sent, failed } = await failuresDuring(async () => {
    for (const name of ['tenancy', 'tenancy-2', 'tenancy', 'tenancy-2']) {
      const replica = own.stack.processes[name];
      await replica?.stop();
      await replica?.start();
    }
  });
  expect(sent).toBeGreaterThan(20);
  expect(failed).toStrictEqual([]);
});
