/** Three sentinels over one master and two copies, all real. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openRedis } from '@tessera/kernel/redis';
import { choosePort } from '../../../tools/stack/ports.ts';
import { accepts, isInstalled } from '../../support/engines.ts';
import { describeUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

const password = 'only-for-the-test';
const program = 'redis-server';

describeUnless(!isInstalled({ program }) && 'NOT RUN: redis-server is not installed')('sentinels', () => {
  const cleanup = new AsyncDisposableStack();
  afterAll(() => cleanup.disposeAsync());
  const servers = new Map<number, ChildProcess>();
  const sentinels: number[] = [];

  async function start(port: number, lines: readonly string[], flags: readonly string[] = []): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-sentinel-'));
    const file = join(folder, 'redis.conf');
    writeFileSync(file, ['bind 127.0.0.1', `port ${port}`, `dir ${folder}`, ...lines].join('\n'));
    const child = spawn(program, [file, ...flags], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    cleanup.defer(async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    });
    servers.set(port, child);
    await until(() => accepts(port));
  }

  beforeAll(async () => {
    const ports: number[] = [];
    for (let at = 0; at < 6; at += 1) ports.push(await choosePort(0, '127.0.0.1'));
    const [master = 0, ...others] = ports;
    const guarded = [`requirepass ${password}`, `masterauth ${password}`, 'save ""', 'repl-diskless-sync-delay 0'];
    await start(master, guarded);
    for (const port of others.slice(0, 2)) await start(port, [...guarded, `replicaof 127.0.0.1 ${master}`]);
    for (const port of others.slice(2)) {
      sentinels.push(port);
      const watched = [`monitor mymaster 127.0.0.1 ${master} 2`, `auth-pass mymaster ${password}`, 'down-after-milliseconds mymaster 500'];
      const quick = ['failover-timeout mymaster 2000', 'parallel-syncs mymaster 2'];
      await start(
        port,
        [...watched, ...quick].map((line) => `sentinel ${line}`),
        ['--sentinel'],
      );
    }
  });

  test('lead to the Redis that is one now, when the one before was killed and when it only hangs', async () => {
    const redis = openRedis({
      REDIS_URL: `redis://:${password}@ignored.example:1/3`,
      REDIS_SENTINELS: sentinels.map((port) => `redis://127.0.0.1:${port}`).join(', '),
      REDIS_SENTINEL_MASTER: 'mymaster',
    });
    cleanup.defer(() => redis.disconnect());
    const address = async (): Promise<number> => {
      const asked = openRedis({ REDIS_URL: `redis://127.0.0.1:${sentinels[0]}` }, { once: true });
      await asked.connect();
      const answer = await asked.call('SENTINEL', 'get-master-addr-by-name', 'mymaster');
      asked.disconnect();
      return Number(Array.isArray(answer) && answer[1]);
    };
    const isWritten = (value: string) =>
      redis.set('where', value).then(
        () => true,
        () => false,
      );
    /** Two copies that are in step: only those are chosen. */
    const hasCopies = async (count: number) => {
      const info = await redis.info('replication').catch(() => '');
      return (info.match(/state=online/g)?.length ?? 0) >= count;
    };
    await until(() => isWritten('at first'));
    await until(() => hasCopies(2), 20_000);
    expect(await redis.client('INFO')).toContain('db=3');

    const first = await address();
    servers.get(first)?.kill('SIGKILL');
    await until(async () => (await address()) !== first && (await isWritten('after a death')), 20_000);
    await until(() => hasCopies(1), 20_000);

    const second = await address();
    servers.get(second)?.kill('SIGSTOP');
    cleanup.defer(() => void servers.get(second)?.kill('SIGCONT'));
    await until(async () => (await address()) !== second && (await isWritten('after a stop')), 20_000);
    servers.get(second)?.kill('SIGCONT');
    for (let at = 0; at < 20; at += 1) expect(await redis.get('where')).toBe('after a stop');
  }, 90_000);
});
