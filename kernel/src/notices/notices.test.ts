import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../test/support/database.ts';
import { describeUnless } from '../../../test/support/unless.ts';
import { assertWithin, until } from '../../../test/support/until.ts';
import { natsVersion, startNats } from '../../../tools/stack/nats.ts';
import { createNotices, type NoticePayloads, type Notices, type NoticesOptions, topics } from './index.ts';
import { natsTransport } from './nats.ts';
import { postgresTransport } from './postgres.ts';
import type { Transport } from './transport.ts';

const noticeSecret = 'a secret of notices that is long enough';

type TenantChange = NoticePayloads['tenant-changed'];

const silent = { warn: () => undefined, error: () => undefined };
const database = await createTestDatabase();
const nats = natsVersion() === undefined ? undefined : await startNats();
afterAll(async () => {
  await database.drop();
  await nats?.stop();
});

function natsSettings() {
  return { NATS_URL: nats?.url, NATS_CREDS: undefined, NATS_CA: undefined };
}

type Case = {
  readonly name: string;
  readonly options: () => Partial<NoticesOptions>;
  readonly transport: () => Transport;
  readonly skip: string | false;
};
const cases: readonly Case[] = [
  {
    name: 'Postgres',
    options: () => ({ databaseUrl: database.urls.rbac }),
    transport: () => postgresTransport(database.urls.rbac, silent),
    skip: false,
  },
  {
    name: 'NATS',
    options: () => ({ nats: natsSettings() }),
    transport: () => natsTransport(nats?.url ?? '', natsSettings(), silent),
    skip: natsVersion() === undefined && 'NOT RUN against NATS: nats-server is not installed',
  },
];

for (const { name, options, transport, skip } of cases)
  describeUnless(skip)(`notices over ${name}`, () => {
    let here: Notices;
    let there: Notices;
    beforeAll(async () => {
      here = createNotices({ secret: noticeSecret, ...options(), logger: silent });
      there = createNotices({ secret: noticeSecret, ...options(), logger: silent });
      await until(() => here.healthy && there.healthy);
    });
    afterAll(() => Promise.all([here.close(), there.close()]));

    test('reach every other process within milliseconds, and their own at once and only once', async () => {
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

    test('arrive all and in order, each only at the subscribers of its topic', async () => {
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

    test('reach all other subscribers when one of them throws', async () => {
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

    test('are not sent when they are too large, and that is logged', async () => {
      const errors: string[] = [];
      const loud = createNotices({
        secret: noticeSecret,
        ...options(),
        logger: { ...silent, error: (_, message) => errors.push(message) },
      });
      loud.publish('outbox', { service: 'x'.repeat(600_000) });
      expect(errors).toHaveLength(1);
      await until(() => loud.healthy);
      await loud.close();
    });

    test('are dropped and logged when they are not signed or do not have the form of the topic', async () => {
      const warnings: string[] = [];
      const values: string[] = [];
      const careful = createNotices({
        secret: noticeSecret,
        ...options(),
        logger: { ...silent, warn: (_, message) => warnings.push(message) },
      });
      careful.subscribe('revocation', ({ value }) => values.push(value));
      await until(() => careful.healthy);
      const good = { kind: 'jti', value: 'good', before: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' };
      const payloads = [{}, null, 'text', { ...good, kind: 'everybody' }, { ...good, value: 7 }, { ...good, before: 'yesterday' }, good];
      const raw = await transport().connect(() => undefined);
      const { subject } = topics.revocation;
      const signed = (payload: unknown, secret = noticeSecret) => {
        const key = createHmac('sha256', secret).update('tessera notices v1').digest();
        const text = `${subject}\nanother process\n${JSON.stringify(payload)}`;
        return JSON.stringify({ origin: 'another process', payload, mac: createHmac('sha256', key).update(text).digest('base64url') });
      };
      const forged = [
        signed({ ...good, value: 'forged' }, 'a guessed secret'),
        JSON.stringify({ origin: 'another process', payload: good }),
      ];
      const bodies = ['', '{', '{}', ...forged, ...payloads.map((payload) => signed(payload))];
      await raw.send(bodies.map((body) => ({ subject, body })));
      await until(() => values.length > 0);
      expect(values).toStrictEqual(['good']);
      expect(warnings).toStrictEqual(Array(bodies.length - 1).fill('a notice that is malformed or not signed was dropped'));
      await raw.close();
      await careful.close();
    });

    test('tell a late subscriber that it missed notices until now', async () => {
      const late = createNotices({ secret: noticeSecret, ...options(), logger: silent });
      let calls = 0;
      late.onReconnect(() => {
        calls += 1;
      });
      await until(() => calls === 1);
      await late.close();
    });
  });

describe('the connection for notices to Postgres', () => {
  test('is made again after it was cut, tells subscribers so, and then sends the notices that waited', async () => {
    const here = createNotices({ secret: noticeSecret, databaseUrl: database.urls.rbac, logger: silent });
    const there = createNotices({ secret: noticeSecret, databaseUrl: database.urls.tenancy, logger: silent });
    await until(() => here.healthy && there.healthy);
    let reconnects = 0;
    let heard = 0;
    there.onReconnect(() => {
      reconnects += 1;
    });
    there.subscribe('outbox', () => {
      heard += 1;
    });
    const admin = await database.connect();
    const cut = admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tessera notices' AND datname = current_database()`,
    );
    await until(() => !here.healthy);
    here.publish('outbox', { service: 'rbac' });
    await cut;
    await until(() => here.healthy && there.healthy && reconnects === 1);
    here.publish('outbox', { service: 'rbac' });
    await until(() => heard >= 1);
    await Promise.all([here.close(), there.close()]);
  });

  test('may be missing at the start', async () => {
    const notices = createNotices({ secret: noticeSecret, databaseUrl: 'postgres://nobody@127.0.0.1:1/none', logger: silent });
    expect(notices.healthy).toBe(false);
    notices.publish('outbox', { service: 'rbac' });
    await notices.close();
  });
});

describe('notices without a transport', () => {
  test('stay in the process', async () => {
    const notices = createNotices({ secret: noticeSecret, logger: silent });
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
