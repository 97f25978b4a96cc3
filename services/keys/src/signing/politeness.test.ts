import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { makeSigningPolite } from './politeness.ts';

it('gives way with every thread of the pool, and with no other', { skip: process.platform !== 'linux' }, async () => {
  await makeSigningPolite();
  const threads = readdirSync('/proc/self/task').map((thread) => {
    const [name, rest = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      .replace(/^\d+ \(/, '')
      .split(') ');
    return { name, nice: Number(rest.split(' ')[16]) };
  });
  const signers = threads.filter(({ name }) => name === 'libuv-worker');
  assert.ok(signers.length >= 1 && signers.every(({ nice }) => nice >= 10), JSON.stringify(signers));
  assert.ok(threads.some(({ nice }) => nice < 10));
});
