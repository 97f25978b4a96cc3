import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { connect, nkeys } from '@nats-io/transport-node';
import { describeUnless } from '../../../test/support/unless.ts';
import { until } from '../../../test/support/until.ts';
import { natsVersion, startNats } from '../../../tools/stack/nats.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { createNotices, type Notices } from './index.ts';
import type { NatsSettings } from './nats.ts';
import type { NoticeLogger } from './transport.ts';

const noticeSecret = 'a secret of notices that is long enough';

const silent: NoticeLogger = { warn: () => undefined, error: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'nats-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function noticesOver(NATS_URL: string, more: Partial<NatsSettings> = {}, logger = silent): Notices {
  return createNotices({ secret: noticeSecret, nats: { NATS_URL, NATS_CREDS: undefined, NATS_CA: undefined, ...more }, logger });
}

/** The first error that notices log, with its stack and cause. */
async function firstError(url: string, more: Partial<NatsSettings> = {}): Promise<string> {
  const errors: unknown[] = [];
  const logger = { ...silent, warn: (details: object) => void ('err' in details && errors.push(details.err)) };
  const notices = noticesOver(url, more, logger);
  await until(() => errors.length > 0);
  expect(notices.healthy).toBe(false);
  await notices.close();
  return inspect(errors[0]);
}

async function assertConnects(url: string, more: Partial<NatsSettings> = {}): Promise<void> {
  const notices = noticesOver(url, more);
  await until(() => notices.healthy);
  await notices.close();
}

describe('notices over a NATS server that does not answer', () => {
  /** As much of a server as a client needs to connect. It may fall silent. */
  const startServer = async (cleanup: AsyncDisposableStack) => {
    const state = { isSilent: false, connections: 0, connect: '' };
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      state.connections += 1;
      sockets.add(socket.on('error', () => undefined));
      socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576,"nonce":"abc"}\r\n');
      socket.on('data', (text) => {
        if (String(text).startsWith('CONNECT')) state.connect = String(text);
        if (!state.isSilent && String(text).includes('PING')) socket.write('PONG\r\n');
      });
    });
    cleanup.defer(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const port = await choosePort(0, '127.0.0.1');
    return { state, url: `nats://127.0.0.1:${port}`, listen: () => once(server.listen(port, '127.0.0.1'), 'listening') };
  };

  test('can be closed', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { state, url, listen } = await startServer(cleanup);
    await listen();
    const notices = noticesOver(url);
    await until(() => notices.healthy);
    state.isSilent = true;
    await notices.close();
  });

  test('log that there is no connection, and do not connect once they are closed', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { state, url, listen } = await startServer(cleanup);
    const warnings: string[] = [];
    const notices = createNotices({
      secret: noticeSecret,
      nats: { NATS_URL: url, NATS_CREDS: undefined, NATS_CA: undefined },
      logger: { ...silent, warn: (_details, message) => warnings.push(message) },
    });
    await until(() => warnings.length > 0);
    await notices.close();
    expect(warnings).toStrictEqual(['no connection for notices']);
    await listen();
    await sleep(1_000);
    expect(state.connections).toBe(0);
  });

  test('send the JWT and the signature of a .creds file', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { state, url, listen } = await startServer(cleanup);
    await listen();
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed());
    const part = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
    const creds = file('nats.creds', part('NATS USER JWT', 'a.jwt.text') + part('USER NKEY SEED', seed));
    await assertConnects(url, { NATS_CREDS: creds });
    expect(state.connect).toMatch(/"jwt":"a\.jwt\.text"/);
    expect(state.connect).toMatch(/"sig":"[\w+/-]{80}/);
    expect(state.connect).not.toContain(seed);
  });
});

test('a NATS_URL whose servers have different users is refused at the start', () =>
  expect(() => noticesOver('nats://a:b@127.0.0.1:1,nats://c:d@127.0.0.1:2')).toThrow(/several users/));

describeUnless(natsVersion() === undefined && 'NOT RUN: nats-server is not installed')('notices over NATS', () => {
  test('start without a server, come back after it was away, and tell subscribers each time', async () => {
    const port = await choosePort(0, '127.0.0.1');
    const here = noticesOver(`nats://127.0.0.1:${port}`);
    const there = noticesOver(`nats://127.0.0.1:${port}`);
    let reconnects = 0;
    let received = 0;
    there.onReconnect(() => {
      reconnects += 1;
    });
    there.subscribe('outbox', () => {
      received += 1;
    });
    await sleep(100);
    expect(here.healthy).toBe(false);
    for (const life of [1, 2]) {
      const server = await startNats({ port, settings: '' });
      await until(() => here.healthy && there.healthy && reconnects === life);
      const before = received;
      await until(() => {
        here.publish('outbox', { service: 'rbac' });
        return received > before;
      });
      await server.stop();
      await until(() => !here.healthy && !there.healthy);
    }
    await Promise.all([here.close(), there.close()]);
  });

  test('go to another server of NATS_URL when one is down', async () => {
    await using cleanup = new AsyncDisposableStack();
    const token = { settings: 'authorization { token: "secret" }' };
    const [first, second] = [await startNats(token), await startNats(token)];
    cleanup.defer(() => second.stop());
    const url = `nats://secret@127.0.0.1:${first.port}, nats://secret@127.0.0.1:${second.port}`;
    const here = noticesOver(url);
    const there = noticesOver(url);
    cleanup.defer(() => here.close());
    cleanup.defer(() => there.close());
    await until(() => here.healthy && there.healthy);
    await first.stop();
    let received = 0;
    there.subscribe('outbox', () => {
      received += 1;
    });
    await until(() => {
      here.publish('outbox', { service: 'rbac' });
      return received > 0;
    });
  });

  test('have a subject for each topic', async () => {
    await using cleanup = new AsyncDisposableStack();
    const server = await startNats({ settings: '' });
    cleanup.defer(() => server.stop());
    const client = await connect({ servers: `127.0.0.1:${server.port}` });
    cleanup.defer(() => client.close());
    const subjects: string[] = [];
    client.subscribe('tessera.>', { callback: (_error, { subject }) => void subjects.push(subject) });
    await client.flush();
    const notices = noticesOver(server.url);
    cleanup.defer(() => notices.close());
    notices.publish('keys-rotated', { issuer: 'https://id.example.com' });
    notices.publish('outbox', { service: 'rbac' });
    await until(() => subjects.length === 2);
    expect(subjects).toStrictEqual(['tessera.keys-rotated.v1', 'tessera.outbox.v1']);
  });

  test('log in with a token, a user and password, or an nkey, and log that the server refused others', async () => {
    await using cleanup = new AsyncDisposableStack();
    const pair = nkeys.createUser();
    const seed = file('user.nk', `${new TextDecoder().decode(pair.getSeed())}\n`);
    const byToken = await startNats();
    cleanup.defer(() => byToken.stop());
    const users = `authorization { users = [{ user: "tessera", password: "p:w" }, { nkey: "${pair.getPublicKey()}" }] }`;
    const byUser = await startNats({ settings: users });
    cleanup.defer(() => byUser.stop());
    await assertConnects(byToken.url);
    await assertConnects(`nats://tessera:p%3Aw@127.0.0.1:${byUser.port}`);
    await assertConnects(byUser.url, { NATS_CREDS: seed });
    const refused = [
      await firstError(`nats://wrong-secret@127.0.0.1:${byToken.port}`),
      await firstError(`nats://tessera:wrong-secret@127.0.0.1:${byUser.port}`),
      await firstError(byUser.url),
    ];
    for (const error of refused) {
      expect(error).toMatch(/authorization/i);
      expect(error).not.toMatch(/wrong-secret/);
    }
  });

  test('use TLS with tls:// or NATS_CA, and never fall back to a plain connection', async () => {
    await using cleanup = new AsyncDisposableStack();
    const path = (name: string) => join(folder, name);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', path('key')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '1', '-out', path('crt')], { stdio: 'ignore' });
    const server = await startNats({ settings: `tls { cert_file: "${path('crt')}", key_file: "${path('key')}" }` });
    cleanup.defer(() => server.stop());
    const plain = await startNats({ settings: '' });
    cleanup.defer(() => plain.stop());
    const [secureUrl, plainUrl] = [`tls://127.0.0.1:${server.port}`, `127.0.0.1:${plain.port}`];
    await assertConnects(secureUrl, { NATS_CA: path('crt') });
    await assertConnects(server.url, { NATS_CA: path('crt') });
    expect(await firstError(secureUrl)).toMatch(/certificate/);
    expect(await firstError(`tls://${plainUrl}`)).toMatch(/does not support 'tls'/);
    expect(await firstError(`nats://${plainUrl}`, { NATS_CA: path('crt') })).toMatch(/does not support 'tls'/);
  });
});
