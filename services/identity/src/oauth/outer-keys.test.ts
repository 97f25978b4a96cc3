import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createGuardedFetch } from '@tessera/kernel/guard';
import { newIssuerKey, startOuterIssuer } from '../testing/outer-issuer.ts';
import { createOuterKeys, KeysUnavailable } from './outer-keys.ts';

const outer = await startOuterIssuer();
const fetch = createGuardedFetch({ allowPrivate: true, timeoutMs: 300 });
const guarded = createGuardedFetch({ allowPrivate: false, timeoutMs: 300 });
afterAll(async () => {
  outer.close();
  await Promise.all([fetch[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]);
});
const { url, key, counts, published } = outer;
const ownerId = 'acme';
const place = { issuer: url, ownerId };
const header = { alg: 'RS256', kid: key.jwk.kid ?? '' };
const start = Date.now();
const after = (seconds: number) => new Date(start + seconds * 1_000);
beforeEach(() => {
  Object.assign(counts, { discovery: 0, keys: 0 });
  for (const name of ['discovery', 'answer'] as const) delete published[name];
  Object.assign(published, { keys: [key.jwk], issuer: url, jwksUri: `${url}/keys` });
});

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'found',
    (error: unknown) => {
      if (!(error instanceof KeysUnavailable)) throw error;
      return error.message;
    },
  );

describe('keys of an outer issuer', () => {
  test('are read once in ten minutes, however many ask at once', async () => {
    const keys = createOuterKeys(fetch);
    const found = await Promise.all(Array.from({ length: 20 }, () => keys.find(place, header, after(0))));
    expect(found.every((one) => one !== undefined)).toBe(true);
    await keys.find(place, header, after(599));
    expect(counts).toStrictEqual({ discovery: 1, keys: 1 });
    // What the issuer has taken back ends then.
    published.keys = [];
    expect(await keys.find(place, header, after(601))).toBeUndefined();
    expect(counts).toStrictEqual({ discovery: 2, keys: 2 });
  });

  test('an unknown id asks again, once a minute at most, and finds a new key', async () => {
    const keys = createOuterKeys(fetch);
    await keys.find(place, header, after(0));
    const next = await newIssuerKey();
    published.keys = [key.jwk, next.jwk];
    const nextHeader = { alg: 'RS256', kid: next.jwk.kid ?? '' };
    for (let time = 0; time < 50; time += 1) expect(await keys.find(place, nextHeader, after(30))).toBeUndefined();
    expect(counts.keys).toBe(1);
    expect(await keys.find(place, nextHeader, after(61))).toBeDefined();
    await Promise.all(Array.from({ length: 50 }, (_, at) => keys.find(place, { alg: 'RS256', kid: `guess-${at}` }, after(90))));
    expect(counts.keys).toBe(2);
  });

  test('after a failure it is asked again in five seconds, and old keys are not used', async () => {
    const keys = createOuterKeys(fetch);
    await keys.find(place, header, after(0));
    published.answer = (response) => void response.writeHead(500).end();
    const failure = 'the keys of the issuer cannot be read';
    expect(await refusal(keys.find(place, header, after(700)))).toBe(failure);
    expect(await refusal(keys.find(place, header, after(703)))).toBe(failure);
    expect(counts.keys).toBe(2);
    delete published.answer;
    expect(await keys.find(place, header, after(706))).toBeDefined();
  });

  const noDocument = 'the discovery document of the issuer cannot be read';
  const noKeys = 'the keys of the issuer cannot be read';
  test.each<[what: string, change: () => void, message: string]>([
    [
      'another issuer in discovery',
      () => Object.assign(published, { issuer: 'https://token.actions.githubusercontent.com' }),
      'the discovery document names another issuer',
    ],
    ['a slash more', () => Object.assign(published, { issuer: `${url}/` }), 'the discovery document names another issuer'],
    ['no address of keys', () => Object.assign(published, { jwksUri: 7 }), 'the discovery document names no address of keys'],
    ['keys in a file', () => Object.assign(published, { jwksUri: 'file:///etc/passwd' }), noKeys],
    ['keys at an address with a user', () => Object.assign(published, { jwksUri: url.replace('//', '//ada:secret@') }), noKeys],
    ['a redirect of discovery', () => Object.assign(published, { discovery: redirect }), noDocument],
    ['a redirect of the keys', () => Object.assign(published, { answer: redirect }), noKeys],
    ['text', () => Object.assign(published, { answer: said('keys') }), noKeys],
    ['a list', () => Object.assign(published, { answer: said('[]') }), noKeys],
    ['null', () => Object.assign(published, { discovery: said('null') }), noDocument],
    [
      'no set',
      () => Object.assign(published, { answer: said('{"keys":{"0":{}}}') }),
      'what stands at the address of the keys is no key set',
    ],
    [
      'keys that are none',
      () => Object.assign(published, { answer: said('{"keys":["x"]}') }),
      'what stands at the address of the keys is no key set',
    ],
    ['10 MB', () => Object.assign(published, { answer: said(`{"keys":[],"pad":"${'x'.repeat(10_000_000)}"}`) }), noKeys],
    ['an endless answer', () => Object.assign(published, { answer: endless }), noKeys],
    ['silence', () => Object.assign(published, { discovery: () => undefined }), noDocument],
    [
      'too many keys',
      () => Object.assign(published, { keys: Array.from({ length: 51 }, () => key.jwk) }),
      'the key set has more than 50 keys',
    ],
  ])('%s gives no key', async (_what, change, message) => {
    change();
    expect(await refusal(createOuterKeys(fetch).find(place, header, after(0)))).toBe(message);
  });

  test('weak, secret and doubled keys of a set are never used', async () => {
    const secret = { kty: 'oct', k: 'c2VjcmV0', kid: 'shared', alg: 'HS256' };
    published.keys = [secret, { ...key.jwk, kid: 'twice' }, { ...key.jwk, kid: 'twice' }, key.jwk];
    const keys = createOuterKeys(fetch);
    for (const kid of ['shared', 'twice', '../keys', '__proto__', "' OR 1=1"])
      expect([kid, await keys.find(place, { alg: 'RS256', kid }, after(0))]).toStrictEqual([kid, undefined]);
    expect(await keys.find(place, { alg: 'RS256' }, after(0))).toBeUndefined();
    expect(await keys.find(place, header, after(0))).toBeDefined();
  });

  test('an organization that names a thousand places pushes out its own, and none of others', async () => {
    const asked: string[] = [];
    const keys = createOuterKeys(async (address) => {
      asked.push(String(address));
      return Response.json({ keys: [key.jwk] });
    });
    const at = (jwksUri: string, owner: string) => keys.find({ jwksUri, ownerId: owner }, header, after(0));
    const ofOthers = Array.from({ length: 50 }, (_, count) => `https://other-${count}.example/`);
    for (const address of ofOthers) await at(address, address);
    await at('https://shared.example/', 'another');
    for (let count = 0; count < 1_000; count += 1) {
      await at(`https://crowd.example/${count}`, 'crowd');
      if (count % 100 === 0) await at('https://shared.example/', 'crowd');
    }
    asked.length = 0;
    for (const address of [...ofOthers, 'https://shared.example/']) await at(address, 'another');
    expect(asked).toStrictEqual([]);
    await at('https://crowd.example/0', 'crowd');
    await at('https://crowd.example/999', 'crowd');
    expect(asked).toStrictEqual(['https://crowd.example/0']);
  });

  test('a private address is never asked: as issuer, by its name, or where discovery points', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const keys = createOuterKeys(guarded);
    for (const issuer of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`, `https://localhost:${port}`])
      expect(await refusal(keys.find({ issuer, ownerId }, header, after(0)))).toBe(noDocument);
    for (const jwksUri of [`https://127.0.0.1:${port}/`, `https://[::1]:${port}/`])
      expect(await refusal(keys.find({ jwksUri, ownerId }, header, after(0)))).toBe('the keys at jwksUri cannot be read');
    // Discovery of a public issuer that points inside.
    const pointing = createOuterKeys(async (address, init) =>
      String(address).startsWith('https://public.example')
        ? Response.json({ issuer: 'https://public.example', jwks_uri: `https://127.0.0.1:${port}/` })
        : guarded(address, init),
    );
    expect(await refusal(pointing.find({ issuer: 'https://public.example', ownerId }, header, after(0)))).toBe(noKeys);
    expect(connections).toBe(0);
    server.close();
  });
});

function redirect(response: { writeHead(code: number, headers: object): { end(): unknown } }): void {
  response.writeHead(302, { location: `${url}/elsewhere` }).end();
}

function said(text: string) {
  return (response: { end(text: string): unknown }) => void response.end(text);
}

/** A byte now and then: no single read takes too long. */
function endless(response: { write(text: string): unknown; on(name: 'close', then: () => void): unknown }): void {
  const timer = setInterval(() => void response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}
