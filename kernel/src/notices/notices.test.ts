import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { choosePort } from '../../../tools/stack/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../../tools/testing/database.ts';
import { describeUnless } from '../../../tools/testing/unless.ts';
import { assertWithin, until } from '../../../tools/testing/until.ts';
import { createNotices, type NoticePayloads, type Notices, type NoticesOptions } from './index.ts';

type TenantChange = NoticePayloads['tenant-changed'];

const silent = { warn: () => undefined, error: () => undefined };
const natsUrl = process.env.TEST_NATS_URL;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const transports: { name: string; options: () => Partial<NoticesOptions>; skip: string | false }[] = [
  { name: 'Postgres', options: () => ({ databaseUrl: database.urls.rbac }), skip: false },
  { name: 'NATS', options: () => ({ natsUrl }), skip: natsUrl ? false : 'NOT RUN against NATS: TEST_NATS_URL is not set' },
];

for (const { name, options, skip } of transports) {
  describeUnless(skip)(`the contract of notices, ${name}`, () => {
    let here: Notices;
    let there: Notices;
    beforeAll(async () => {
      here = createNotices({ ...options(), logger: silent });
      there = createNotices({ ...options(), logger: silent });
      await until(() => here.healthy && there.healthy);
    });
    afterAll(() => Promise.all([here.close(), there.close()]));

    test('reaches every other process within milliseconds, and its own at once and only once', async () => {
      const heard: { at: string; version: number }[] = [];
      const stopHere = here.subscribe('tenant-changed', ({ version }) => heard.push({ at: 'here', version }));
      const stopThere = there.subscribe('tenant-changed', ({ version }) => heard.push({ at: 'there', version }));
      await assertWithin(500, async () => {
        heard.length = 0;
        here.publish('tenant-changed', { tenantKey: 'ä', version: 1 });
        expect(heard).toStrictEqual([{ at: 'here', version: 1 }]);
        await until(() => heard.length === 2);
      });
      await sleep(50);
      expect(heard.at(1)).toStrictEqual({ at: 'there', version: 1 });
      expect(heard).toHaveLength(2);
      stopHere();
      stopThere();
      here.publish('tenant-changed', { tenantKey: 'ä', version: 2 });
      await sleep(50);
      expect(heard).toHaveLength(2);
    });

    test('loses none of many, keeps their order and keeps topics apart', async () => {
      const versions: number[] = [];
      const stop = there.subscribe('tenant-changed', ({ version }: TenantChange) => versions.push(version));
      const stopOther = there.subscribe('outbox', () => {
        throw new Error('another topic');
      });
      for (let version = 0; version < 1_000; version += 1) {
        here.publish('tenant-changed', { tenantKey: 'key', version });
        if (version % 100 === 0) await sleep(1);
      }
      await until(() => versions.length === 1_000);
      expect(versions).toStrictEqual([...versions.keys()]);
      stop();
      stopOther();
    });

    test('a failing subscriber harms no other and no publisher', async () => {
      let heard = 0;
      const stops = [here, there].flatMap((notices) => [
        notices.subscribe('schema-changed', () => {
          throw new Error('a bug');
        }),
        notices.subscribe('schema-changed', () => {
          heard += 1;
        }),
      ]);
      here.publish('schema-changed', { service: 'rbac' });
      await until(() => heard === 2);
      for (const stop of stops) stop();
    });

    test('does not send what is too large, and says so', async () => {
      const errors: string[] = [];
      const loud = createNotices({ ...options(), logger: { ...silent, error: (_, message) => errors.push(message) } });
      loud.publish('outbox', { service: 'x'.repeat(600_000) });
      expect(errors).toHaveLength(1);
      await until(() => loud.healthy);
      await loud.close();
    });

    test('tells a late subscriber that it was deaf until now', async () => {
      const late = createNotices({ ...options(), logger: silent });
      let calls = 0;
      late.onReconnect(() => {
        calls += 1;
      });
      await until(() => calls === 1);
      await late.close();
    });
  });
}

describe('notices over Postgres', () => {
  test('come back after the connection was cut, say that they were deaf, and send what waited', async () => {
    const here = createNotices({ databaseUrl: database.urls.rbac, logger: silent });
    const there = createNotices({ databaseUrl: database.urls.tenancy, logger: silent });
    await until(() => here.healthy && there.healthy);
    let wasDeaf = 0;
    let heard = 0;
    there.onReconnect(() => {
      wasDeaf += 1;
    });
    there.subscribe('outbox', () => {
      heard += 1;
    });
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const cut = admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera notices' AND datname = current_database()`,
    );
    await until(() => !here.healthy);
    here.publish('outbox', { service: 'rbac' });
    await cut;
    await admin.end();
    await until(() => here.healthy && there.healthy && wasDeaf === 1);
    here.publish('outbox', { service: 'rbac' });
    await until(() => heard >= 1);
    await Promise.all([here.close(), there.close()]);
  });

  test('start without a database and find it later', async () => {
    const notices = createNotices({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', logger: silent });
    expect(notices.healthy).toBe(false);
    notices.publish('outbox', { service: 'rbac' });
    await notices.close();
  });
});

describe('notices over a NATS server', () => {
  /** As much of a server as a client needs to connect; then it may fall silent. */
  const startServer = async (cleanup: AsyncDisposableStack) => {
    const state = { isSilent: false, connections: 0 };
    const server = createServer((socket) => {
      state.connections += 1;
      socket.on('error', () => undefined);
      socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
      socket.on('data', (text) => state.isSilent || (String(text).includes('PING') && socket.write('PONG\r\n')));
      cleanup.defer(() => void socket.destroy());
    });
    cleanup.defer(() => void server.close());
    const port = await choosePort(0, '127.0.0.1');
    return { state, url: `nats://127.0.0.1:${port}`, listen: () => once(server.listen(port, '127.0.0.1'), 'listening') };
  };

  test('that hangs are closed all the same', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { state, url, listen } = await startServer(cleanup);
    await listen();
    const notices = createNotices({ natsUrl: url, logger: silent });
    await until(() => notices.healthy);
    state.isSilent = true;
    await notices.close();
  });

  test('that was never there say so, and look for it no more once they are closed', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { state, url, listen } = await startServer(cleanup);
    const warnings: string[] = [];
    const notices = createNotices({ natsUrl: url, logger: { ...silent, warn: (_details, message) => warnings.push(message) } });
    await until(() => warnings.length > 0);
    await notices.close();
    expect(warnings).toStrictEqual(['no connection for notices']);
    await listen();
    await sleep(1_000);
    expect(state.connections).toBe(0);
  });
});

const natsServer = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'].find(existsSync);

describeUnless(natsUrl && natsServer ? false : 'NOT RUN: needs TEST_NATS_URL and a nats-server to stop and start')(
  'notices over NATS',
  () => {
    test('start without a server, come back after it was away, and say each time that they were deaf', async () => {
      const port = await choosePort(0, '127.0.0.1');
      const start = () => spawn(natsServer ?? '', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      const here = createNotices({ natsUrl: `nats://127.0.0.1:${port}`, logger: silent });
      const there = createNotices({ natsUrl: `nats://127.0.0.1:${port}`, logger: silent });
      let wasDeaf = 0;
      let heard = 0;
      there.onReconnect(() => {
        wasDeaf += 1;
      });
      there.subscribe('outbox', () => {
        heard += 1;
      });
      await sleep(100);
      expect(here.healthy).toBe(false);
      for (const life of [1, 2]) {
        const server = start();
        await until(() => here.healthy && there.healthy && wasDeaf === life);
        const heardBefore = heard;
        await until(() => {
          here.publish('outbox', { service: 'rbac' });
          return heard > heardBefore;
        });
        server.kill('SIGKILL');
        await until(() => !here.healthy && !there.healthy);
      }
      const last = start();
      await until(() => here.healthy && there.healthy);
      await Promise.all([here.close(), there.close()]);
      last.kill('SIGKILL');
    });
  },
);

describe('notices without a transport', () => {
  test('stay in the process', async () => {
    const notices = createNotices({ logger: silent });
    let heard = 0;
    notices.subscribe('outbox', () => {
      heard += 1;
    });
    notices.publish('outbox', { service: 'rbac' });
    expect(heard).toBe(1);
    expect(notices.healthy).toBe(true);
    await notices.close();
  });
});
