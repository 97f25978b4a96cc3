import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Lookup } from '@tessera/kernel/guard';
import { createSender, lookupByResolver } from './sender.ts';

const never = new AbortController().signal;
const post = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{}' });

function answering(...answers: readonly string[][]): { lookup: Lookup; asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _options, callback) => {
    asked.push(hostname);
    const addresses = answers[Math.min(asked.length, answers.length) - 1] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
  return { lookup, asked };
}

async function listen(cleanup: AsyncDisposableStack) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => void server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}

describe('private addresses', () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'])
    test(`a name that resolves to ${address} is not requested`, async () => {
      await using cleanup = new AsyncDisposableStack();
      const { port, requests } = await listen(cleanup);
      const { lookup } = answering([address]);
      const sender = createSender({ allowPrivate: false, lookup });
      cleanup.defer(() => sender.close());
      expect(await sender.send(post(`https://hooks.example.com:${port}/`), never)).toStrictEqual({
        status: null,
        error: 'no_public_address',
      });
      expect(requests()).toBe(0);
    });

  test('a name is resolved once for a connection: what it says the second time is not asked', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { port, requests } = await listen(cleanup);
    // A check that looks the name up by itself would pass at the second time.
    const { lookup, asked } = answering(['8.8.8.8', '127.0.0.1'], ['8.8.8.8']);
    const sender = createSender({ allowPrivate: false, lookup, timeoutMs: 300 });
    cleanup.defer(() => sender.close());
    expect(await sender.send(post(`https://rebinding.example.com:${port}/`), never)).toMatchObject({ error: 'no_public_address' });
    expect(asked).toHaveLength(1);
    expect(requests()).toBe(0);
  });

  for (const url of ['http://example.com/', 'https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/', 'https://169.254.169.254/'])
    test(`${url} is refused without a look-up`, async () => {
      const { lookup, asked } = answering(['8.8.8.8']);
      const sender = createSender({ allowPrivate: false, lookup });
      expect(await sender.send(post(url), never)).toStrictEqual({ status: null, error: 'no_public_address' });
      await sender.close();
      expect(asked).toStrictEqual([]);
    });
});

describe('what a target does', () => {
  test('a name that does not exist, a port without a listener, no TLS, no answer: each has its word', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { port } = await listen(cleanup);
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanup.defer(async () => void silent.close().closeAllConnections());
    const sender = createSender({ allowPrivate: true, timeoutMs: 400 });
    cleanup.defer(() => sender.close());
    const errorOf = async (url: string) => (await sender.send(post(url), never)).error;
    expect(await errorOf('https://does-not-exist.invalid/')).toBe('no_public_address');
    expect(await errorOf('http://127.0.0.1:1/')).toBe('connection');
    expect(await errorOf(`https://127.0.0.1:${port}/`)).toBe('tls');
    expect(await errorOf(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`)).toBe('timeout');
    expect(await errorOf(`http://127.0.0.1:${port}/`)).toBeNull();
  });

  test('name servers that do not answer hold up no other look-up', async () => {
    await using cleanup = new AsyncDisposableStack();
    const deaf = createSocket('udp4');
    await new Promise<void>((resolve) => deaf.bind(0, '127.0.0.1', resolve));
    cleanup.defer(async () => void deaf.close());
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([`127.0.0.1:${deaf.address().port}`]);
    const lookup = lookupByResolver(resolver);
    const slow = createSender({ allowPrivate: false, lookup, timeoutMs: 3_000 });
    const quick = createSender({ allowPrivate: true });
    cleanup.defer(() => slow.close());
    cleanup.defer(() => quick.close());
    const { port } = await listen(cleanup);
    const hanging = Array.from({ length: 40 }, (_, index) => slow.send(post(`https://name${index}.example.com/`), never));
    const startedAt = performance.now();
    // localhost is looked up in the four threads of the system's resolver.
    expect(await quick.send(post(`http://localhost:${port}/`), never)).toMatchObject({ error: null });
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(new Set((await Promise.all(hanging)).map(({ error }) => error))).toStrictEqual(new Set(['no_public_address']));
  });
});
