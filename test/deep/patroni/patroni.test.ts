/** Postgres of three machines under traffic: they die, stand still, lag, and lose their etcd. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { patroniUnless } from '../../support/faults/patroni/cluster.ts';
import { openPatroniSite, type PatroniSite } from '../../support/faults/patroni/site.ts';
import { record } from '../../support/faults/record.ts';
import { siteUnless } from '../../support/faults/site/site.ts';
import { Traffic } from '../../support/faults/site/traffic.ts';
import { measuredHere, type Result, undergo } from '../../support/faults/site/undergo.ts';
import { describeUnless } from '../../support/unless.ts';

const ways = { haproxy: 'through HAProxy', hosts: 'by a URL of three hosts' } as const;
const rows: Result[] = [];
/** Longer than the 20 s after which a leader counts as gone. */
const longMs = 40_000;
/** What a caller may see while no server takes writes: all say when to try again. */
const mayBeSeen = /^(?:503 \S+|504 \S+|200 (?:SERVICE_UNAVAILABLE|BAD_GATEWAY|GATEWAY_TIMEOUT))$/;

describeUnless(siteUnless() || patroniUnless())('Postgres of three machines', () => {
  for (const [way, how] of Object.entries(ways) as [keyof typeof ways, string][])
    describe(how, () => {
      let site: PatroniSite;
      let traffic: Traffic;
      beforeAll(async () => {
        site = await openPatroniSite(way);
        traffic = await Traffic.prepare(site.stack, site.urls, { isMixed: true });
      });
      afterAll(async () => {
        await traffic?.close();
        await site?.[Symbol.asyncDispose]();
      });

      async function survives(name: string, inflict: () => Promise<void>, seen = mayBeSeen): Promise<void> {
        const result = await undergo(`${name}, ${how}`, site, traffic, inflict);
        rows.push(result);
        write();
        const { lost, broken, past, failed } = result;
        expect([lost, broken, past, [...failed.keys()].filter((why) => !seen.test(why))]).toStrictEqualFor(name, [[], [], [], []]);
        expect(result.acknowledged).toBeGreaterThan(20);
        await site.cluster.whole();
      }

      test('the machine of the primary dies, and comes back as a replica', async () => {
        const primary = await site.cluster.primary();
        await survives('SIGKILL of the primary with its Patroni, started again after 40 s', async () => {
          await primary.kill();
          await sleep(longMs);
          await primary.start();
        });
        expect((await site.cluster.primary()).name).not.toBe(primary.name);
      });

      test('a planned switchover', async () => {
        const before = await site.cluster.primary();
        await survives('planned switchover', () => site.cluster.switchOver());
        expect((await site.cluster.primary()).name).not.toBe(before.name);
      });

      test('the machine of the primary stands still, another takes over, and it comes back with its old state', async () => {
        const primary = await site.cluster.primary();
        await survives('the primary and its Patroni frozen for 40 s', async () => {
          primary.freeze();
          await sleep(longMs);
          primary.thaw();
        });
        expect((await site.cluster.primary()).name).not.toBe(primary.name);
      });

      if (way === 'hosts') return;

      test('every metric that an alert of Patroni names is exposed by Patroni', async () => {
        const rules = readFileSync(join(repositoryFolder, 'deploy', 'observability', 'alerts-patroni.yml'), 'utf8');
        const names = new Set([...rules.matchAll(/\bpatroni_\w+/g)].map(([name]) => name));
        const exposed = (await Promise.all(site.cluster.nodes.map((node) => node.ask('GET', '/metrics')))).map(({ text }) => text);
        expect(names.size).toBeGreaterThan(5);
        for (const text of exposed) expect([...names].filter((name) => !text.includes(`\n${name}{scope="tessera"} `))).toStrictEqual([]);
      });

      test('Postgres alone stands still on the machine of the primary', async () => {
        const primary = await site.cluster.primary();
        await survives('Postgres of the primary frozen for 40 s, its Patroni alive', async () => {
          primary.freezePostgres();
          await sleep(longMs);
          primary.thaw();
        });
      });

      test('the synchronous replica stands still: commits wait for the next one', async () => {
        const replica = await site.cluster.synchronous();
        await survives('the synchronous replica frozen for 40 s', async () => {
          replica.freeze();
          await sleep(longMs);
          replica.thaw();
        });
      });

      test('a replica lags, and is not promoted before it has everything', async () => {
        const primary = await site.cluster.primary();
        const replica = await site.cluster.synchronous();
        await survives('the synchronous replica replays nothing for 10 s, then the primary is killed', async () => {
          await replica.query('SELECT pg_wal_replay_pause()');
          await sleep(10_000);
          await primary.kill();
          await sleep(longMs);
          await primary.start();
        });
      });

      for (const isSafe of [false, true])
        test(`etcd loses its majority, ${isSafe ? 'with' : 'without'} failsafe_mode`, async () => {
          await site.cluster.configure({ failsafe_mode: isSafe });
          const [one, another] = site.cluster.etcd;
          await survives(`two of three etcd killed for 40 s, ${isSafe ? 'with' : 'without'} failsafe_mode`, async () => {
            await Promise.all([one?.kill(), another?.kill()]);
            await sleep(longMs);
            await Promise.all([one?.start(), another?.start()]);
          });
        });
    });
});

/** After each case, so that a run that is cut off leaves what it has measured. */
function write(): void {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  record('Postgres of three machines', [
    'Patroni on three nodes with three etcd (`ttl` 20, `loop_wait` 2, `retry_timeout` 5, `synchronous_mode`), HAProxy before them or a URL of three hosts; two replicas of every service and of',
    'the gateway, NATS and Redis; mixed traffic, each request sent once. “no write for” is the longest time in which none was acknowledged. “past” counts answers that lacked what had been acknowledged.',
    `\`RELIABILITY_WRITE=1 npm run test:deep -- test/deep/patroni\`. ${measuredHere()}`,
    '',
    '| fault | requests | writes acknowledged | lost | twice | past | refused, by kind | no write for, s | slowest answer, s |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ name, requests, acknowledged, lost, past, failed, longestPauseMs, slowestMs }) => {
      const kinds = [...failed].map(([why, count]) => `${count} × ${why}`).join(', ') || '0';
      const twice = lost.filter((line) => line.includes('made twice')).length;
      return `| ${name} | ${requests} | ${acknowledged} | ${lost.length - twice} | ${twice} | ${past.length} | ${kinds} | ${seconds(longestPauseMs)} | ${seconds(slowestMs)} |`;
    }),
    '',
    '- 503 says when to try again; 200 is GraphQL, whose errors say the same. A 504 is a request that was under way when its server went.',
    '- Without `failsafe_mode` nobody takes writes until etcd has its majority again; with it the primary stays one while all nodes of Patroni answer it.',
    '- Over etcd3 a frozen primary that woke cost 708 acknowledged writes: see [past-one-machine.md](past-one-machine.md), which uses etcd’s API of version 2, as this suite does.',
  ]);
}
