import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { until } from '../../test/support/until.ts';
import { withClient } from '../postgres/bootstrap.ts';
import { natsVersion } from './nats.ts';
import { ServiceProcess } from './service-process.ts';
import { startStack } from './stack.ts';
import { standInServices } from './testing/stand-in.ts';

const servicesFolder = standInServices();
process.env.TESSERA_SERVICES_FOLDER = servicesFolder;
const folders: string[] = [servicesFolder];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  folders.push(folder);
  return folder;
}

type Told = { readonly pid: number; readonly env: Readonly<Record<string, string>> };
async function ask(url: string) {
  return (await (await fetch(url)).json()) as Told;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^Z/m.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '');
  } catch {
    return false;
  }
}

function allGone(pids: readonly number[]): Promise<void> {
  return until(() => !pids.some(isAlive));
}

/** `npm start` without npm: the processes that it started, once it says that it is ready. */
async function launch(env: Readonly<Record<string, string>>): Promise<{ readonly child: ChildProcess; readonly output: () => string }> {
  const run = new URL('../run.mjs', import.meta.url).pathname;
  const child = spawn('node', [run, 'tools/start/main.ts'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  await until(() => said.includes('Ctrl-C stops everything') || child.exitCode !== null, 60_000);
  return { child, output: () => said };
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** None of one that has ended: Postgres has processes that come and go. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

test('a DATA_DIR that cannot be a folder is refused in plain words', async () => {
  const file = join(newFolder(), 'a-file');
  writeFileSync(file, '');
  for (const [dataDir, reason] of [
    [file, `DATA_DIR must be a folder: ${file} is a file`],
    [join(file, 'below'), `DATA_DIR must be a folder: ${file} is a file`],
    ['/proc/tessera', 'DATA_DIR cannot be used: no folder can be made in /proc (ENOENT). Choose another with DATA_DIR=…'],
  ] as const)
    await expect(startStack({ dataDir })).rejects.toThrow(reason);
});

test('the end of a service’s log is shown without fields and stacks', () => {
  const logFile = join(newFolder(), 'keys.log');
  const line = { level: 60, msg: 'could not start', err: { message: 'The configuration has one fault:\n- X is not known', stack: 'at y' } };
  writeFileSync(logFile, `${JSON.stringify(line)}\nNode.js v24\n`);
  const keys = new ServiceProcess({ name: 'keys', service: 'keys', env: {}, logFile, url: 'unix:/none', died: () => {} });
  expect(keys.lastLines()).toBe('could not start: The configuration has one fault:\n- X is not known\nNode.js v24');
});

describe('a stack', () => {
  test.concurrent('two run at once, each with secrets of its own that only the owner can read', async () => {
    await using first = await startStack({ dataDir: newFolder(), profile: 'fast' });
    await using second = await startStack({ dataDir: newFolder(), profile: 'fast' });
    expect(first.url).not.toBe(second.url);
    expect(first.env('gateway').INTERNAL_AUTH_SECRET).not.toBe(second.env('gateway').INTERNAL_AUTH_SECRET);
    expect(statSync(join(first.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    for (const folder of ['outbox', 'logs']) expect(statSync(join(first.dataDir, folder)).mode & 0o777).toBe(0o700);
    expect((await ask(first.url)).env.APP_URL).toBe(first.url);
    expect((await ask(second.url)).env.APP_URL).toBe(second.url);
  });

  test.concurrent('a process is told its own database and no other, and only keys gets the encryption key', async () => {
    await using stack = await startStack({ dataDir: newFolder(), profile: 'fast', env: { RBAC_DATABASE_POOL_SIZE: '3' } });
    for (const service of ['identity', 'tenancy', 'rbac', 'keys', 'gateway'] as const) {
      const names = Object.keys(stack.env(service));
      const own = service === 'gateway' ? [] : [`${service.toUpperCase()}_DATABASE_URL`];
      expect(names.filter((name) => name.endsWith('_DATABASE_URL'))).toStrictEqual(own);
      expect(names.includes('KEYS_ENCRYPTION_KEY')).toBe(service === 'keys');
    }
    expect((await ask(stack.url)).env.INTERNAL_AUTH_SECRET).toBe(stack.env('rbac').INTERNAL_AUTH_SECRET);
  });

  test.concurrent('a second start in the same folder finds its data and its secrets', async () => {
    const dataDir = newFolder();
    const first = await startStack({ dataDir, profile: 'fast' });
    await withClient(first.databaseUrls.rbac, (client) => client.query('CREATE TABLE kept ()'));
    const secret = first.env('keys').KEYS_ENCRYPTION_KEY;
    await first.stop();
    await first.stop();
    await using second = await startStack({ dataDir, profile: 'fast' });
    await withClient(second.databaseUrls.rbac, (client) => client.query('SELECT FROM kept'));
    expect(second.env('keys').KEYS_ENCRYPTION_KEY).toBe(secret);
  });

  test.concurrent('a folder in use and a port in use are refused with what to do', async () => {
    await using stack = await startStack({ dataDir: newFolder(), profile: 'fast' });
    await expect(startStack({ dataDir: stack.dataDir })).rejects.toThrow(/Another stack runs in .+ \(process \d+\).+DATA_DIR/);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(startStack({ dataDir: newFolder(), port })).rejects.toThrow(new RegExp(`Port ${port} on 127.0.0.1 is in use.+PORT=`));
    server.close();
  });

  test.concurrent('a killed process is reported, and comes back on the same doors', async () => {
    const deaths: string[] = [];
    await using stack = await startStack({
      dataDir: newFolder(),
      profile: 'fast',
      replicas: { rbac: 2 },
      died: ({ name }, reason) => deaths.push(`${name}: ${reason}`),
    });
    const replica = stack.processes['rbac-2'];
    assert.ok(replica?.pid);
    process.kill(replica.pid, 'SIGKILL');
    await until(() => deaths.length > 0);
    expect(deaths).toStrictEqual(['rbac-2: SIGKILL']);
    await replica.restart({ EXTRA: 'yes' });
    await replica.kill();
    expect(replica.pid).toBeUndefined();
    expect(deaths).toHaveLength(1);
    expect(stack.env('gateway').RBAC_HTTP_URL).toBe([stack.doors('rbac', 0).httpUrl, stack.doors('rbac', 1).httpUrl].join(','));
  });

  test.concurrent('a service that does not start says why, and nothing is left behind', async () => {
    const broken = standInServices();
    folders.push(broken);
    writeFileSync(join(broken, 'tenancy', 'src', 'main.ts'), "console.error('TENANCY_X is missing'); process.exit(1);");
    const { child, output } = await launch({ DATA_DIR: newFolder(), PORT: '0', TESSERA_SERVICES_FOLDER: broken });
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(1);
    expect(output()).toMatch(/Tessera did not start: tenancy ended before it was ready:\nTENANCY_X is missing/);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    testUnless(process.platform !== 'linux' && 'NOT RUN: needs Linux')(`the launcher stops everything on ${signal}`, async () => {
      const dataDir = newFolder();
      const { child, output } = await launch({ DATA_DIR: dataDir, PORT: '0' });
      assert.ok(child.pid);
      const pids = descendantsOf(child.pid);
      expect(pids.length > 6).toStrictEqualFor(output(), true);
      expect(output()).toMatch(natsVersion() === undefined ? /Notices +Postgres/ : /Notices +NATS \(nats-server/);
      child.kill(signal);
      await once(child, 'exit');
      expect(child.exitCode).toStrictEqualFor(output(), 0);
      await allGone(pids);
      expect(readdirSync(dataDir).includes('launcher.json')).toBe(false);
    });

  testUnless(process.platform !== 'linux' && 'NOT RUN: needs Linux')(
    'a launcher killed hard leaves no process, and the next start finds everything',
    async () => {
      const dataDir = newFolder();
      const { child } = await launch({ DATA_DIR: dataDir, PORT: '0' });
      assert.ok(child.pid);
      const pids = descendantsOf(child.pid);
      const launcher = pids[0];
      assert.ok(launcher);
      process.kill(launcher, 'SIGKILL');
      child.kill('SIGKILL');
      await allGone(pids);
      await using again = await startStack({ dataDir, profile: 'fast' });
      expect((await ask(again.url)).env.APP_URL).toBe(again.url);
    },
  );
});
