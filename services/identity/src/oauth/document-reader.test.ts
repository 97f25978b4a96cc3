/** A document is read from the public internet alone, whatever the name of its host resolves to. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { createGuardedFetch, type Lookup } from '@tessera/kernel/guard';
import { isDomain, readAddress } from '../apps/domain/client-document.ts';
import { createDocumentReader, DocumentUnavailable } from './document-reader.ts';

const counters = { increment: async () => 1 };

test.each([
  ['this machine', [['127.0.0.1', '127.0.0.1']]],
  ['a private network', [['10.0.0.8']]],
  ['the metadata service of a cloud', [['169.254.169.254']]],
  ['an address in IPv6 that is one of this machine', [['::ffff:127.0.0.1']]],
  ['a public and a private address', [['93.184.216.34', '192.168.0.1']]],
  // The connection looks the name up itself, and judges what it is told then.
  ['a public address first and this machine then', [['127.0.0.1'], ['93.184.216.34']]],
])('a name that leads to %s is not connected to', async (_what, answers) => {
  const server = createServer();
  const connections: unknown[] = [];
  server.on('connection', (socket) => void connections.push(socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const left = [...answers];
  const lookup: Lookup = (_hostname, _options, callback) => {
    const addresses = left.shift() ?? answers[0] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  await using fetch = createGuardedFetch({ allowPrivate: false, lookup, timeoutMs: 1_000 });
  const reader = createDocumentReader({ fetch, counters });
  const address = new URL(`https://inside.example:${port}/client`);
  await expect(reader.read(address, '192.0.2.1')).rejects.toBeInstanceOf(DocumentUnavailable);
  expect(connections).toStrictEqual([]);
  server.close();
});

test('a document that is kept is read again also when strangers have used up what its host is asked', async () => {
  const address = new URL('https://agent.example.com/client');
  const document = { client_id: address.href, redirect_uris: ['https://agent.example.com/callback'] };
  const fetch = async () => Response.json(document);
  const reader = createDocumentReader({ fetch, counters: { increment: async () => 31 } });
  await expect(reader.read(new URL('https://agent.example.com/other'), '192.0.2.1')).rejects.toBeInstanceOf(DocumentUnavailable);
  expect((await reader.read(address, undefined)).document.redirectUris).toStrictEqual(document.redirect_uris);
});

test('where private addresses are not allowed, an address is https and has the name of a host', () => {
  const good = 'https://agent.example.com/client.json';
  expect(readAddress(good, false)?.href).toBe(good);
  expect(readAddress('https://xn--bcher-kva.example/c', false)?.host).toBe('xn--bcher-kva.example');
  for (const address of [
    'http://agent.example.com/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://localhost/client.json',
    'https://agent.example.com:443/client.json',
    'https://Agent.example.com/client.json',
    'https://bücher.example/c',
    'https://agent.example.com/a/../client.json',
    'https://agent.example.com/%2e%2E/client.json',
    'https://agent.example.com',
    'https://agent.example.com/',
    'https://user@agent.example.com/c',
    'https://agent.example.com/c?a=1',
    'https://agent.example.com/c#',
  ])
    expect(readAddress(address, false)).toStrictEqualFor(address, undefined);
  expect(['example.com', 'example.com:8443', '127.0.0.1', 'localhost', '*.example.com'].map((one) => isDomain(one, false))).toStrictEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
