import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { assertWithin } from '../../../../tools/testing/until.ts';
import { type PasswordHasher, startPasswordHasher } from './password-hasher.ts';

function busy(): Error {
  return new Error('busy');
}

describe('password hasher', () => {
  let hasher: PasswordHasher;
  const ownSession = autogroupOf('self');
  before(async () => {
    hasher = await startPasswordHasher({ rounds: 4, busy, threads: 2, capacity: 8 });
  });
  after(async () => hasher.stop());

  test('a password matches its own bcrypt hash and no other [spec:passwords.11]', async () => {
    const hash = await hasher.hash('Correct7!Horse');
    assert.match(hash, /^\$2b\$04\$/);
    assert.equal(await hasher.matches('Correct7!Horse', hash), true);
    assert.equal(await hasher.matches('Correct7!horse', hash), false);
  });

  test('all 128 characters count, though bcrypt reads 72 bytes', async () => {
    const long = 'Zq7!'.repeat(32);
    const hash = await hasher.hash(long);
    assert.equal(await hasher.matches(long, hash), true);
    assert.equal(await hasher.matches(`${long.slice(0, 127)}?`, hash), false);
  });

  test('a zero byte ends nothing, and composition does not matter', async () => {
    const hash = await hasher.hash('Zq7!\u0000first');
    assert.equal(await hasher.matches('Zq7!\u0000second', hash), false);
    const composed = await hasher.hash('Zq7!r\u00e9ne');
    assert.equal(await hasher.matches('Zq7!re\u0301ne', composed), true);
  });

  test('an unknown hash is compared too and never matches', async () => {
    assert.equal(await hasher.matches('anything', undefined), false);
  });

  test('a full queue refuses at once and serves what it accepted', async () => {
    const flood = Array.from({ length: 12 }, () => hasher.hash('Zq7!xR4?m'));
    const settled = await Promise.allSettled(flood);
    assert.equal(settled.filter((job) => job.status === 'fulfilled').length, 8);
    assert.ok(settled.every((job) => job.status === 'fulfilled' || job.reason.message === 'busy'));
    assert.equal(hasher.depth(), 0);
  });

  test('none of the secrets of the service go along', { skip: process.platform !== 'linux' }, async () => {
    const [pid] = childrenOfThis();
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const names = variables.map((variable) => variable.slice(0, variable.indexOf('=')));
    assert.deepEqual(
      names.filter((name) => !name.startsWith('NODE_CHANNEL_')),
      ['UV_THREADPOOL_SIZE'],
    );
  });

  test('every bcrypt thread runs at a lower priority than the service', { skip: process.platform !== 'linux' }, async () => {
    await hasher.hash('Zq7!xR4?m');
    const niceness = childrenOfThis().flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => Number(fieldsOf(`/proc/${pid}/task/${thread}/stat`)[16])),
    );
    assert.ok(niceness.filter((nice) => nice === 10).length >= 3, `main thread and two workers, saw ${niceness}`);
  });

  test('and so does its session, where sessions share the cores', { skip: !existsSync('/proc/self/autogroup') }, async () => {
    await hasher.hash('Zq7!xR4?m');
    const own = fieldsOf('/proc/self/stat')[3];
    const apart = childrenOfThis().filter((pid) => fieldsOf(`/proc/${pid}/stat`)[3] === pid);
    assert.equal(apart.length, 1, 'leads a session of its own');
    assert.notEqual(apart[0], own);
    assert.match(autogroupOf(String(apart[0])), /nice 10$/m);
    assert.equal(autogroupOf('self'), ownSession, 'this session stays as it was');
  });
});

test('a killed process is replaced, and its jobs fail as busy', async () => {
  const hasher = await startPasswordHasher({ rounds: 12, busy, threads: 1 });
  const pid = childrenOfThis().at(-1);
  const lost = assert.rejects(hasher.hash('Zq7!xR4?m'), /busy/);
  process.kill(Number(pid), 'SIGKILL');
  await lost;
  const hash = await hasher.hash('Zq7!xR4?m');
  assert.equal(await hasher.matches('Zq7!xR4?m', hash), true);
  await hasher.stop();
});

test('a stop waits for no password that is still in line', async () => {
  await assertWithin(4_000, async () => {
    const hasher = await startPasswordHasher({ rounds: 12, busy, threads: 1 });
    const flood = Array.from({ length: 60 }, () => assert.rejects(hasher.hash('Zq7!xR4?m'), /busy/));
    await hasher.stop();
    await Promise.all(flood);
  });
});

function autogroupOf(pid: string): string {
  const file = `/proc/${pid}/autogroup`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function childrenOfThis(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
}

/** What follows the name (proc_pid_stat(5) from field 3 on): the session is the fourth, the niceness the seventeenth. */
function fieldsOf(statFile: string): string[] {
  return readFileSync(statFile, 'utf8').split(') ')[1]?.trim().split(' ') ?? [];
}
