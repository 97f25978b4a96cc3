import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '../../../tools/testing/until.ts';
import { connect, type GrpcServer, type GrpcTls, implement, serveGrpc } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
after(() => rmSync(folder, { recursive: true }));
function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
const secret = 'a secret between services, long enough';
const socket = `unix:${join(folder, 'keys.sock')}`;

function serve(listen: string, options: { tls?: GrpcTls; delayMs?: number; onCall?: () => void } = {}): Promise<GrpcServer> {
  return serveGrpc({
    listen,
    secret,
    tls: options.tls,
    services: [
      implement('revocation.v1.Revocations', {
        list: async ({ cursor }) => {
          options.onCall?.();
          if (options.delayMs !== undefined) await later(options.delayMs);
          return { revocations: [], cursor };
        },
      }),
    ],
  });
}
function client(url: string, tls?: GrpcTls) {
  return connect({ service: 'revocation.v1.Revocations', url, secret, self: 'rbac', tls });
}

test('a server that stops finishes what it began, and is found again when it is back, over a socket file left behind', async () => {
  const arrived = Promise.withResolvers<void>();
  const first = await serve(socket, { delayMs: 100, onCall: arrived.resolve });
  const revocations = client(socket);
  const onItsWay = revocations.list({ cursor: 'a' });
  await arrived.promise;
  await first.stop(15_000);
  assert.equal((await onItsWay).cursor, 'a');
  await assert.rejects(revocations.list({ cursor: 'b' }, { timeoutMs: 15_000 }), { kind: 'unavailable' });
  writeFileSync(socket.slice('unix:'.length), '');
  const second = await serve(socket);
  await until(async () => (await revocations.list({ cursor: 'c' }).catch(() => undefined)) !== undefined);
  revocations.close();
  await second.stop(500);
});

test('a server that has to stop does not wait for ever', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await serve(socket, { delayMs: 20_000, onCall: arrived.resolve });
  const revocations = client(socket);
  const refused = assert.rejects(revocations.list({ cursor: '' }, { timeoutMs: 60_000 }), { kind: 'unavailable' });
  await arrived.promise;
  const startedAt = Date.now();
  await server.stop(100);
  assert.ok(Date.now() - startedAt < 10_000);
  await refused;
  revocations.close();
});

/** A CA and a certificate of localhost by it; nothing where openssl is not installed. */
function makeTls(name: string): GrpcTls | undefined {
  const file = (suffix: string) => join(folder, `${name}.${suffix}`);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca'), '-subj', `/CN=${name} CA`, '-days', '1');
    openssl('req', ...key, '-keyout', file('key'), '-out', file('csr'), '-subj', '/CN=localhost');
    writeFileSync(file('ext'), 'subjectAltName=DNS:localhost');
    const by = ['-CA', file('ca'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('ext')];
    openssl('x509', '-req', '-in', file('csr'), ...by, '-out', file('crt'), '-days', '1');
  } catch {
    return undefined;
  }
  return { GRPC_TLS_CA: file('ca'), GRPC_TLS_KEY: file('key'), GRPC_TLS_CERT: file('crt') };
}

test('with certificates, both sides must show one of the same authority', async (context) => {
  const [ours, foreign] = [makeTls('ours'), makeTls('foreign')];
  if (ours === undefined || foreign === undefined) return context.skip('needs openssl');
  const server = await serve('localhost:0', { tls: ours });
  const [good, plain, stranger] = [
    client(server.address, ours),
    client(server.address),
    client(server.address, { ...foreign, GRPC_TLS_CA: ours.GRPC_TLS_CA }),
  ];
  assert.equal((await good.list({ cursor: 'x' })).cursor, 'x');
  await assert.rejects(plain.list({ cursor: 'x' }), { kind: 'unavailable' });
  await assert.rejects(stranger.list({ cursor: 'x' }), { kind: 'unavailable' });
  for (const each of [good, plain, stranger]) each.close();
  await server.stop(500);
});
