import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createNotices } from '@tessera/kernel/notices';
import { testUnless } from '../../test/support/unless.ts';
import { until } from '../../test/support/until.ts';
import { natsVersion } from '../stack/nats.ts';
import { openNotices } from './notices.ts';

const noticeSecret = 'a secret of notices that is long enough';

const silent = { warn: () => undefined, error: () => undefined };
const skip = natsVersion() === undefined || process.platform !== 'linux' ? 'NOT RUN: needs nats-server and Linux' : false;

/** The processes whose command line holds this text. */
function processesOf(text: string): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const grandchildren = children.flatMap((pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '));
  return grandchildren.filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(text)).map(Number);
}

function connects(url: string | undefined) {
  return createNotices({ secret: noticeSecret, nats: { NATS_URL: url, NATS_CREDS: undefined, NATS_CA: undefined }, logger: silent });
}

test('npm start leaves a NATS_URL from the environment as it is', async () => {
  const { carrier, env } = await openNotices({ NATS_URL: 'nats://elsewhere:4222' }, assert.fail);
  expect([carrier, env]).toStrictEqual(['NATS, by NATS_URL', {}]);
});

test('npm start uses Postgres for notices when NATS_URL is empty', async () => {
  const { carrier, env } = await openNotices({ NATS_URL: '' }, assert.fail);
  expect(carrier).toMatch(/^Postgres/);
  expect(env).toStrictEqual({});
});

testUnless(skip)('npm start uses an installed nats-server, with a random token, and starts it again when it ended', async () => {
  const lines: string[] = [];
  const { carrier, env, stop } = await openNotices({}, (line) => lines.push(line));
  expect(carrier).toMatch(/^NATS \(nats-server [\d.]+ on 127\.0\.0\.1:\d+\)$/);
  const url = new URL(`${env.NATS_URL}`);
  expect(url.username).toMatch(/^[\w-]{32}$/);
  const notices = connects(url.href);
  const withoutToken = connects(`nats://${url.host}`);
  await until(() => notices.healthy);
  expect(withoutToken.healthy).toBe(false);
  await withoutToken.close();
  const [server] = processesOf('nats-server');
  assert.ok(server !== undefined);
  // Other accounts can see a command line.
  expect(readFileSync(`/proc/${server}/cmdline`, 'utf8')).not.toContain(url.username);
  process.kill(server, 'SIGKILL');
  await until(() => !notices.healthy);
  await until(() => notices.healthy);
  expect(lines).toStrictEqual(['nats-server ended; it starts again']);
  await notices.close();
  await stop();
  expect(processesOf('nats-server')).toStrictEqual([]);
});
