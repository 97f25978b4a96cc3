/**
 * One life of a process that emits and relays, ended by SIGKILL at the point that it is told: the
 * worst that can happen to it. Arguments: the URLs as JSON, the point, the values to emit.
 */
import { emit } from './emit.ts';
import { note, noteApplied, openDatabase, receiver, sender } from './fixture.ts';
import type { InboxClient } from './send.ts';

const [urls = '', point = '', ...values] = process.argv.slice(2);
const test = { urls: JSON.parse(urls) };
const tenancy = openDatabase(test, 'tenancy');
const rbac = openDatabase(test, 'rbac');

/** Never resolves at the chosen point: nothing after it may run before the signal arrives. */
async function dieAt(here: string): Promise<void> {
  if (here !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

const inbox = receiver(rbac, {
  'organization.created': async (tx, { organizationId }, { key }) => {
    await noteApplied(tx, key, organizationId);
    if (organizationId === values.at(1)) await dieAt('handling');
    return undefined;
  },
});
const inboxThatDies: InboxClient = {
  deliver: async (request, options) => {
    await dieAt('leased');
    const answer = await inbox.deliver(request, options);
    await dieAt('applied');
    return answer;
  },
};
// The lease that a killed process leaves behind lasts a second longer than this.
const relay = sender(tenancy, inboxThatDies, { sendTimeoutMs: 500 });

const ids = await tenancy.transaction(async (tx) => {
  const emitted = await emit(
    tx,
    values.map((value) => note('key', value)),
  );
  await dieAt('emitted');
  return emitted;
});
await dieAt('committed');
await relay.deliver(ids);
await dieAt('settled');
