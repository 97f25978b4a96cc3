import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createGuardedFetch } from './guarded-fetch.ts';
import { isPublicAddress } from './public-addresses.ts';

async function serve(cleanup: AsyncDisposableStack, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The reason of a refusal, which undici puts below its own error. */
async function refusalOf(request: Promise<Response>): Promise<string> {
  const error = await request.then(
    () => new Error('was answered'),
    (thrown: Error) => thrown,
  );
  return `${error.message} ${Error.isError(error.cause) ? error.cause.message : ''}`;
}

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
])('%s is public: %s', (address, expected) => expect(isPublicAddress(address)).toBe(expected));

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'http://93.184.216.34/',
])('%s is not requested', async (url) => {
  await using guarded = createGuardedFetch({ allowPrivate: false });
  expect(await refusalOf(guarded(url))).toMatch(/not on the public internet|only https/);
});

test('a name is resolved once, for the connection, and refused when any of its addresses is private', async () => {
  const asked: string[] = [];
  const lookup = ((name: string, _options: object, callback: (error: null, addresses: object[]) => void) => {
    asked.push(name);
    callback(null, [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  }) as never;
  await using guarded = createGuardedFetch({ allowPrivate: false, lookup });
  expect(await refusalOf(guarded('https://rebinding.example/'))).toContain('not on the public internet');
  expect(asked).toStrictEqual(['rebinding.example']);
});

test('with WEBHOOK_ALLOW_PRIVATE an answer comes, and a redirect is not followed', async () => {
  await using cleanup = new AsyncDisposableStack();
  const guarded = cleanup.use(createGuardedFetch({ allowPrivate: true }));
  const url = await serve(cleanup, ({ url: path, method }, response) => {
    if (path === '/moved') response.writeHead(302, { location: '/' }).end();
    else response.end(JSON.stringify({ method }));
  });
  expect(await (await guarded(url, { method: 'POST', body: 'x' })).json()).toStrictEqual({ method: 'POST' });
  expect((await guarded(`${url}/moved`)).status).toBe(302);
});

test('an answer that is too large or too slow ends', async () => {
  await using cleanup = new AsyncDisposableStack();
  const guarded = cleanup.use(createGuardedFetch({ allowPrivate: true, timeoutMs: 300 }));
  const large = await serve(cleanup, (_request, response) => void response.end(Buffer.alloc(600 * 1024)));
  expect(await refusalOf(guarded(large))).toContain('too large');
  const slow = await serve(cleanup, (_request, response) => void response.write('x'));
  expect(await refusalOf(guarded(slow))).toMatch(/timeout|aborted/i);
});
