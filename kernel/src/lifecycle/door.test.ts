import { connect } from 'node:net';
import { test } from '@jest/globals';
import { until } from '../../../tools/testing/until.ts';
import { createCredentialIssuer, credentialHeader } from '../grpc/index.ts';
import { createMetrics } from '../telemetry/index.ts';
import { createInnerDoor, doorPath } from './door.ts';

const secret = 'a secret between services, long enough';
const mebibyte = 1024 * 1024;

test('a service holds 64 MiB of bodies at once, refuses the next one, and takes it when others are gone', async () => {
  await using cleanup = new AsyncDisposableStack();
  const logger = { error: () => undefined, info: () => undefined };
  const metrics = createMetrics({ service: 'rbac', enabled: false });
  const app = createInnerDoor({ ...{ service: 'rbac', secret, logger, showStack: false, readiness: {}, metrics } });
  cleanup.defer(() => app.close());
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
