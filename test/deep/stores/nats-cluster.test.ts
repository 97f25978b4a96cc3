/** Three NATS servers of one cluster, of which one after the other dies and comes back. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createNotices, type Notices } from '@tessera/kernel/notices';
import { natsVersion, startNats } from '../../../tools/stack/nats.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { describeUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

const secret = 'a secret of notices that is long enough';
const logger = { warn: () => undefined, error: () => undefined };
/** The contract's bound for a revocation. */
const boundMs = 1_000;

describeUnless(natsVersion() === undefined && 'NOT RUN: nats-server is not installed')('a cluster of three', () => {
  const cleanup = new AsyncDisposableStack();
  afterAll(() => cleanup.disposeAsync());
  const ports: number[] = [];
  const routes: number[] = [];
  const running = new Map<number, () => Promise<void>>();
  const notices: Notices[] = [];

  async function start(at: number): Promise<void> {
    const others = routes.filter((_, index) => index !== at).map((port) => `"nats://127.0.0.1:${port}"`);
    const settings = `cluster { name: tessera, listen: "127.0.0.1:${routes[at]}", routes: [${others}] }`;
    const { stop } = await startNats({ port: ports[at] ?? 0, settings });
    running.set(at, stop);
  }

  beforeAll(async () => {
    for (let at = 0; at < 3; at += 1) {
      ports.push(await choosePort(0, '127.0.0.1'));
      routes.push(await choosePort(0, '127.0.0.1'));
    }
    for (const at of ports.keys()) await start(at);
    cleanup.defer(async () => void (await Promise.all([...running.values()].map((stop) => stop()))));
    for (let at = 0; at < 4; at += 1) {
      const one = createNotices({ secret, logger, nats: { NATS_URL: ports.map((port) => `nats://127.0.0.1:${port}`).join(',') } });
      notices.push(one);
      cleanup.defer(() => one.close());
    }
    await until(() => notices.every(({ healthy }) => healthy));
  });

  test('carries a revocation within a second, or calls those who missed it to pull, whichever server dies', async () => {
    const slowest: number[] = [];
    for (const at of ports.keys()) {
      const heard = notices.map(() => new Set<string>());
      const pulls = notices.map(() => 0);
      const endings = notices.flatMap((one, index) => [
        one.subscribe('schema-changed', ({ service }) => void heard[index]?.add(service)),
        one.onReconnect(() => {
          pulls[index] = (pulls[index] ?? 0) + 1;
        }),
      ]);
      await running.get(at)?.();
      running.delete(at);
      const died = performance.now();
      const publisher = notices[at];
      publisher?.publish('schema-changed', { service: `${at}` });
      const knows = (index: number) => heard[index]?.has(`${at}`) === true || (pulls[index] ?? 0) > 0;
      await until(() => notices.every((one, index) => one.healthy && knows(index)));
      slowest.push(performance.now() - died);
      for (const end of endings) end();
      await start(at);
    }
    console.log(`all knew, or pulled, after ${slowest.map((ms) => Math.round(ms)).join(', ')} ms`);
    expect(Math.max(...slowest)).toBeLessThan(boundMs);
  });
});
