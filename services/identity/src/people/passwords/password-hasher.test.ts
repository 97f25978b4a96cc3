import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import { testUnless } from '../../../../../test/support/unless.ts';
import { until } from '../../../../../test/support/until.ts';
import { forkBcrypt } from './bcrypt-supervisor.ts';
import { type HasherOptions, startPasswordHasher } from './password-hasher.ts';

const logged: string[] = [];
function log(_details: object, message: string): void {
  logged.push(message);
}
const common: Pick<HasherOptions, 'unavailable' | 'busy' | 'logger' | 'secrets'> = {
  unavailable: () => new Error('unavailable'),
  busy: () => new Error('busy'),
  logger: { warn: log, error: log },
  secrets: ['a secret of this installation'],
};

/** A worker may run other files before this one, and keep their browser. */
const earlier: ReadonlySet<string> = new Set(childrenOfProcess());
const hasher = await startPasswordHasher({ rounds: 4, ...common, threads: 2, capacity: 8 });

describe('password hasher', () => {
  const ownSession = autogroupOf('self');

  afterAll(async () => hasher.stop());

  test('a password matches its own bcrypt hash and no other [spec:passwords.11]', async () => {
    const hash = await hasher.hash('Correct7!Horse');
    expect(hash).toMatch(/^[0-9a-f]{8}\$2b\$04\$/);
    expect(await hasher.matches('Correct7!Horse', hash)).toBe(true);
    expect(await hasher.matches('Correct7!horse', hash)).toBe(false);
  });

  test('all 128 characters count, though bcrypt reads 72 bytes', async () => {
    const long = 'Zq7!'.repeat(32);
    const hash = await hasher.hash(long);
    expect(await hasher.matches(long, hash)).toBe(true);
    expect(await hasher.matches(`${long.slice(0, 127)}?`, hash)).toBe(false);
  });

  test('a zero byte ends nothing, and composition does not matter', async () => {
    const hash = await hasher.hash('Zq7!\u0000first');
    expect(await hasher.matches('Zq7!\u0000second', hash)).toBe(false);
    const composed = await hasher.hash('Zq7!r\u00e9ne');
    expect(await hasher.matches('Zq7!re\u0301ne', composed)).toBe(true);
  });

  test('an unknown hash is compared too and never matches', async () => expect(await hasher.matches('anything', undefined)).toBe(false));

  test('a full queue refuses at once and serves what it accepted', async () => {
    const flood = Array.from({ length: 12 }, () => hasher.hash('Zq7!xR4?m'));
    const settled = await Promise.allSettled(flood);
    expect(settled.filter((job) => job.status === 'fulfilled')).toHaveLength(8);
    expect(settled.every((job) => job.status === 'fulfilled' || job.reason.message === 'busy')).toBe(true);
    expect(hasher.depth()).toBe(0);
  });

  testUnless(process.platform !== 'linux' && 'NOT RUN: needs Linux')('none of the secrets of the service go along', async () => {
    const [pid] = childrenOfThis();
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const names = variables.map((variable) => variable.slice(0, variable.indexOf('=')));
    expect(names.filter((name) => !name.startsWith('NODE_CHANNEL_'))).toStrictEqual(['UV_THREADPOOL_SIZE']);
  });

  testUnless(process.platform !== 'linux' && 'NOT RUN: needs Linux')(
    'every bcrypt thread runs at a lower priority than the service',
    async () => {
      await hasher.hash('Zq7!xR4?m');
      const niceness = childrenOfThis().flatMap((pid) =>
        readdirSync(`/proc/${pid}/task`).map((thread) => Number(fieldsOf(`/proc/${pid}/task/${thread}/stat`)[16])),
      );
      // Main thread and two workers, saw ….
      expect(niceness.filter((nice) => nice === 10).length).toBeGreaterThanOrEqual(3);
    },
  );

  testUnless(!existsSync('/proc/self/autogroup') && 'NOT RUN: this system cannot show it')(
    'and so does its session, where sessions share the cores',
    async () => {
      await hasher.hash('Zq7!xR4?m');
      const own = fieldsOf('/proc/self/stat')[3];
      const apart = childrenOfThis().filter((pid) => fieldsOf(`/proc/${pid}/stat`)[3] === pid);
      // Leads a session of its own.
      expect(apart).toHaveLength(1);
      expect(apart[0]).not.toBe(own);
      expect(autogroupOf(String(apart[0]))).toMatch(/nice 10$/m);
      // This session stays as it was.
      expect(autogroupOf('self')).toBe(ownSession);
    },
  );
});

test('a job that waits too long is refused and leaves the queue; one that has begun is never refused', async () => {
  const hasher = await startPasswordHasher({ rounds: 12, ...common, threads: 1, capacity: 4, longestWaitMs: 50 });
  const queued = await Promise.allSettled(Array.from({ length: 4 }, () => hasher.hash('Zq7!xR4?m')));
  expect(queued.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(queued.flatMap((job) => (job.status === 'rejected' ? [job.reason.message] : []))).toStrictEqual(Array(3).fill('busy'));
  expect(hasher.refusals()).toBe(3);
  expect(hasher.depth()).toBe(0);
  // The queue goes on where a refused job was, and its hash is right.
  const [first] = queued;
  expect(first?.status === 'fulfilled' && (await hasher.matches('Zq7!xR4?m', first.value))).toBe(true);
  await hasher.stop();
});

test('all jobs of a busy queue are done when none waits too long, as many at once as there are threads', async () => {
  const hasher = await startPasswordHasher({ rounds: 6, ...common, threads: 2, capacity: 40, longestWaitMs: 30_000 });
  const hashes = await Promise.all(Array.from({ length: 40 }, () => hasher.hash('Zq7!xR4?m')));
  expect(new Set(hashes).size).toBe(40);
  expect(hasher.depth()).toBe(0);
  await hasher.stop();
});

test('a killed process is replaced, and its jobs fail as unavailable', async () => {
  const hasher = await startPasswordHasher({ rounds: 12, ...common, threads: 1 });
  const pid = childrenOfThis().at(-1);
  const lost = expect(hasher.hash('Zq7!xR4?m')).rejects.toThrow(/unavailable/);
  process.kill(Number(pid), 'SIGKILL');
  await lost;
  const hash = await hasher.hash('Zq7!xR4?m');
  expect(await hasher.matches('Zq7!xR4?m', hash)).toBe(true);
  await hasher.stop();
});

test('a bcrypt process that keeps ending is restarted with pauses, and each restart is logged and counted', async () => {
  logged.length = 0;
  let starts = 0;
  const start = (threads: number): ChildProcess => {
    starts += 1;
    return starts === 1 ? forkBcrypt(threads) : spawn('false', [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  };
  const hasher = await startPasswordHasher({ rounds: 4, ...common, threads: 1, start });
  process.kill(Number(childrenOfThis().at(-1)), 'SIGKILL');
  await until(() => hasher.restarts() >= 3);
  await setTimeout(100);
  // At once, after 250 ms, after 500 ms: so there is no fourth yet.
  expect([starts, hasher.restarts()]).toStrictEqual([3, 3]);
  expect(logged).toStrictEqual(Array(3).fill('the bcrypt process ended and is started again'));
  await expect(hasher.hash('Zq7!xR4?m')).rejects.toThrow(/unavailable/);
  await hasher.stop();
  await setTimeout(600);
  expect(starts).toBe(3);
});

test('a bcrypt process that cannot be started again makes jobs fail as unavailable until one starts', async () => {
  let starts = 0;
  const start = (threads: number): ChildProcess => {
    starts += 1;
    if (starts === 2) return spawn('/nonexistent/node', [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    if (starts === 3) throw new Error('spawn ENOMEM');
    return forkBcrypt(threads);
  };
  const hasher = await startPasswordHasher({ rounds: 4, ...common, threads: 1, start });
  process.kill(Number(childrenOfThis().at(-1)), 'SIGKILL');
  await until(() => starts === 3);
  await expect(hasher.hash('Zq7!xR4?m')).rejects.toThrow(/unavailable/);
  await until(() => starts === 4);
  expect(await hasher.matches('Zq7!xR4?m', await hasher.hash('Zq7!xR4?m'))).toBe(true);
  await hasher.stop();
});

test('a bcrypt process that does not work at the start is an error, and none is left running', async () => {
  const start = () => spawn('false', [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await expect(startPasswordHasher({ rounds: 4, ...common, threads: 1, start })).rejects.toThrow(/does not start/);
  expect(childrenOfThis()).toStrictEqual([]);
});

describe('keys of password hashes', () => {
  const password = 'Zq7!xR4?m';
  async function withSecrets(secrets: HasherOptions['secrets']) {
    return startPasswordHasher({ rounds: 4, ...common, secrets, threads: 1 });
  }

  test('the plain SHA-384 of a password does not match its hash', async () => {
    const hasher = await withSecrets(['first']);
    const hash = await hasher.hash(password);
    await hasher.stop();
    const plain = createHash('sha384').update(password).digest('base64');
    expect(await bcrypt.compare(plain, hash.slice(hash.indexOf('$')))).toBe(false);
  });

  test('a hash without a key still matches and is outdated; a new one is not', async () => {
    const old = await bcrypt.hash(createHash('sha384').update(password).digest('base64'), 4);
    const hasher = await withSecrets(['first']);
    expect([await hasher.matches(password, old), await hasher.matches(`${password}x`, old)]).toStrictEqual([true, false]);
    expect([hasher.isOutdated(old), hasher.isOutdated(await hasher.hash(password))]).toStrictEqual([true, false]);
    await hasher.stop();
  });

  test('a hash of the key before still matches and is outdated', async () => {
    const before = await withSecrets(['first']);
    const hash = await before.hash(password);
    await before.stop();
    const hasher = await withSecrets(['second', 'first']);
    expect([await hasher.matches(password, hash), hasher.isOutdated(hash)]).toStrictEqual([true, true]);
    await hasher.stop();
  });

  test('a hash whose key is not configured matches nothing, and the log says so', async () => {
    const before = await withSecrets(['first']);
    const hash = await before.hash(password);
    await before.stop();
    logged.length = 0;
    const hasher = await withSecrets(['second']);
    expect(await hasher.matches(password, hash)).toBe(false);
    expect(logged.join()).toMatch(/AUTH_PASSWORD_SECRETS/);
    await hasher.stop();
  });
});

test('a stop does not wait for queued hashes', async () => {
  const hasher = await startPasswordHasher({ rounds: 14, ...common, threads: 1 });
  const flood = Array.from({ length: 60 }, () => expect(hasher.hash('Zq7!xR4?m')).rejects.toThrow(/unavailable/));
  const stoppedAt = performance.now();
  await hasher.stop();
  await Promise.all(flood);
  // One hash takes a second, so that none ends before the stop; all 60 take a minute.
  expect(performance.now() - stoppedAt).toBeLessThan(4_000);
});

function autogroupOf(pid: string): string {
  const file = `/proc/${pid}/autogroup`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function childrenOfThis(): string[] {
  return childrenOfProcess().filter((pid) => !earlier.has(pid));
}

function childrenOfProcess(): string[] {
  const file = `/proc/self/task/${process.pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean) : [];
}

/** proc_pid_stat(5) from field 3 on: the session is the fourth, the niceness the seventeenth. */
function fieldsOf(statFile: string): string[] {
  return readFileSync(statFile, 'utf8').split(') ')[1]?.trim().split(' ') ?? [];
}
