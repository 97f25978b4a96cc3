import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createCredentialIssuer, credentialHeader } from '@tessera/kernel/grpc';
import { createMetrics } from '@tessera/kernel/telemetry';
import { until } from '../../../test/support/until.ts';
import { createInnerDoor, type DoorOptions, doorPath } from './door.ts';

const secret = 'a secret between services that is long enough';
const mebibyte = 1024 * 1024;

async function startDoor(cleanup: AsyncDisposableStack, changes: Partial<DoorOptions> = {}) {
  const metrics = createMetrics({ service: 'rbac', enabled: false });
  const logger = { error: () => undefined, debug: () => undefined, isLevelEnabled: () => false };
  const app = createInnerDoor({ service: 'rbac', secret, logger, showStack: false, readiness: {}, metrics, ...changes });
  cleanup.defer(() => app.close());
  return app;
}

test('a refused credential is 503 and not 401, which would sign people out', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await startDoor(cleanup);
  app.get('/api/me', () => 'told');
  for (const credential of [undefined, createCredentialIssuer('another secret of services', 'gateway')(doorPath('rbac'))]) {
    const response = await app.inject({ url: '/api/me', headers: credential === undefined ? {} : { [credentialHeader]: credential } });
    expect([response.statusCode, response.json().code]).toStrictEqual([503, 'SERVICE_UNAVAILABLE']);
  }
});

test('a part that degrades the service is shown and leaves it ready', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await startDoor(cleanup, { readiness: { database: () => true }, degrading: { cache: () => false } });
  const response = await app.inject({ url: '/ready' });
  expect([response.statusCode, response.json().checks]).toStrictEqual([200, { database: 'ok', cache: 'degraded' }]);
});

test('a service holds 64 MiB of bodies at once, refuses the next one, and takes it when others are gone', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await startDoor(cleanup);
  app.post('/picture', { bodyLimit: 8 * mebibyte }, () => 'taken');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const credential = createCredentialIssuer(secret, 'gateway')(doorPath('rbac'));
  const headers = { 'content-type': 'application/json', [credentialHeader]: credential };
  const post = async () => (await fetch(`${url}/picture`, { method: 'POST', headers, body: JSON.stringify('x'.repeat(mebibyte)) })).status;
  const waiting = Array.from({ length: 8 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const lines = Object.entries({ host: 'x', ...headers, 'content-length': 8 * mebibyte - 100 });
    socket.write(`POST /picture HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n"`);
    return socket;
  });
  await until(async () => (await post()) === 503);
  for (const socket of waiting) socket.destroy();
  await until(async () => (await post()) === 200);
});
