import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { before, it } from 'node:test';
import { makeSigningPolite } from './politeness.ts';

before(() => readdir('.')); // the pool starts with its first work

const skip = process.platform !== 'linux' && 'only Linux has a priority for each thread';

function threads() {
  return readdirSync('/proc/self/task').map((thread) => {
    const [name, rest = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      .replace(/^\d+ \(/, '')
      .split(') ');
    return { id: Number(thread), isSigner: name === 'libuv-worker', nice: Number(rest.split(' ')[16]) };
  });
}

it('gives way with every thread of the pool, and with no other', { skip }, async () => {
  const own = getPriority();
  await makeSigningPolite();
  const [signers, others] = [threads().filter(({ isSigner }) => isSigner), threads().filter(({ isSigner }) => !isSigner)];
  assert.ok(signers.length >= 1 && signers.every(({ nice }) => nice === Math.max(10, own)), JSON.stringify(signers));
  assert.ok(
    others.some(({ nice }) => nice === own),
    JSON.stringify(others),
  );
});

it('leaves a process alone that gives way even more', { skip }, async () => {
  for (const { id } of threads()) setPriority(id, 15);
  await makeSigningPolite();
  assert.ok(threads().every(({ nice }) => nice === 15));
});
