import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { until } from '../../test/support/until.ts';
import { withClient } from './bootstrap.ts';
import { startPostgres } from './server.ts';

function newFolder() {
  return mkdtempSync(join(tmpdir(), 'tessera-test-'));
}
function query(url: string, sql: string) {
  return withClient(url, async (client) => (await client.query(sql)).rows);
}

function postmasterOf(folder: string): number {
  return Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function gone(pid: number): Promise<void> {
  return until(() => !isAlive(pid));
}

/** A launcher of its own process, to be killed. */
async function launcherIn(folder: string, ephemeral = false): Promise<ChildProcess> {
  const server = JSON.stringify(new URL('server.ts', import.meta.url).href);
  const code = `const { startPostgres } = await import(${server}); await startPostgres(${JSON.stringify({ folder, profile: 'fast', ephemeral })}); console.log('up'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('embedded Postgres', () => {
  test('keeps its data from one start to the next', async () => {
    const folder = newFolder();
    using cleanup = new DisposableStack();
    cleanup.defer(() => rmSync(folder, { recursive: true }));
    const first = await startPostgres({ folder, profile: 'durable' });
    await query(first.adminUrl, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.stop();
    const second = await startPostgres({ folder, profile: 'durable' });
    expect(await query(second.adminUrl, 'SELECT n FROM kept')).toStrictEqual([{ n: 1 }]);
    expect((await query(second.adminUrl, 'SHOW fsync'))[0]?.fsync).toBe('on');
    await second.stop();
    await second.stop();
  });

  test('ends with its launcher, however hard that dies, and takes an ephemeral folder along', async () => {
    const folder = newFolder();
    const launcher = await launcherIn(folder, true);
    const postmaster = postmasterOf(folder);
    launcher.kill('SIGKILL');
    await gone(postmaster);
    await until(() => !existsSync(folder));
  });

  test('a server orphaned by the death of launcher and watchdog is stopped, and its data is found again', async () => {
    const folder = newFolder();
    using cleanup = new DisposableStack();
    cleanup.defer(() => rmSync(folder, { recursive: true }));
    const launcher = await launcherIn(folder);
    const orphan = postmasterOf(folder);
    const watchdog = Number((await parentOf(orphan)).trim());
    process.kill(watchdog, 'SIGKILL');
    launcher.kill('SIGKILL');
    await once(launcher, 'close');
    await sleep(200);
    const again = await startPostgres({ folder, profile: 'fast' });
    await gone(orphan);
    expect(postmasterOf(folder)).not.toBe(orphan);
    await query(again.adminUrl, 'SELECT 1');
    await again.stop();
  });

  test('starts again after its own sudden death, past the stale pid file', async () => {
    const folder = newFolder();
    using cleanup = new DisposableStack();
    cleanup.defer(() => rmSync(folder, { recursive: true }));
    const first = await startPostgres({ folder, profile: 'fast' });
    process.kill(postmasterOf(folder), 'SIGKILL');
    expect(await first.ended).not.toBe(0);
    const second = await startPostgres({ folder, profile: 'fast' });
    await query(second.adminUrl, 'SELECT 1');
    await second.stop();
  });

  testUnless(process.getuid?.() !== 0 && 'only root runs Postgres as another account')(
    'refuses an ephemeral folder that its account could not remove, before anything starts',
    async () => {
      const parent = newFolder();
      using cleanup = new DisposableStack();
      cleanup.defer(() => rmSync(parent, { recursive: true }));
      const folder = join(parent, 'data');
      await expect(startPostgres({ folder, profile: 'fast', ephemeral: true })).rejects.toThrow(
        /set TMPDIR to a folder that every account/,
      );
      expect(existsSync(folder)).toBe(false);
    },
  );

  test('two servers run at once', async () => {
    const servers = await Promise.all([1, 2].map(() => startPostgres({ folder: newFolder(), profile: 'fast', ephemeral: true })));
    await Promise.all(servers.map((server) => query(server.adminUrl, 'SELECT 1')));
    await Promise.all(servers.map((server) => server.stop()));
  });
});

async function parentOf(pid: number): Promise<string> {
  const child = spawn('ps', ['-o', 'ppid=', '-p', String(pid)]);
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk);
}
