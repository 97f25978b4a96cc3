import assert from 'node:assert/strict';
import { once } from 'node:events';

import { connect } from 'node:net';
import { test } from 'node:test';
import { createLogger } from '@tessera/kernel/telemetry';
import { createGateway } from '../app.ts';
import { readGatewayConfig } from '../config.ts';
import { environment, standInSupergraph } from '../testing/gateway.ts';

const create = () =>
  createGateway(readGatewayConfig(environment), standInSupergraph(), createLogger({ service: 'gateway', level: 'silent' }));

test('slow, silent and many clients are bounded, whatever the framework sets', async (t) => {
  const app = await create();
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections } = app.server;
  assert.deepEqual(
    { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections },
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 72_000, maxHeadersCount: 100, maxConnections: 20_000 },
  );
});

test('closing lets what is under way finish, and idle connections hold nobody up', async () => {
  const app = await create();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const idle = connect(address.port, '127.0.0.1');
  await once(idle, 'connect');
  idle.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(idle, 'data');
  const began = performance.now();
  await app.close();
  // The server would keep it for 72 s.
  assert.ok(performance.now() - began < 15_000);
});
