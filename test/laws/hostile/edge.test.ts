/** Raw bytes that no correct client sends neither pass the gateway nor break it. */

import { connect as dial } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createClient } from '../../support/client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson } from '../../support/world.ts';

const stack = await openStack();
const person = await createPerson(stack);

/** Everything that comes back until the other side closes, or for as long as one waits. */
function speak(bytes: string, waitMs = 15_000): Promise<{ answer: string; ms: number }> {
  return new Promise((done) => {
    const { hostname, port } = new URL(stack.url);
    const startedAt = performance.now();
    let answer = '';
    const socket = dial(Number(port), hostname, () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {}); // an early refusal resets the connection while the client still sends; the response arrived before
    socket.on('close', () => {
      clearTimeout(timer);
      done({ answer, ms: performance.now() - startedAt });
    });
  });
}
function statusesOf(answer: string): readonly number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}
const host = 'Host: tessera.test\r\n';
const closing = `${host}Connection: close\r\n`;
const json = 'Content-Type: application/json\r\n';

describe('requests that two readers could read differently are refused, and the connection ends', () => {
  const smuggled = `GET /api/me HTTP/1.1\r\n${host}\r\n`;
  const cases = {
    'a length and chunks': `${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    'two lengths': `${json}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`,
    'a length with a sign': `${json}Content-Length: +2\r\n\r\n{}`,
    'an unknown transfer encoding': `${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    'chunks that are not last': `${json}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    'a space before the colon': `${json}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    'a folded header': `${json}X-A: b\r\n c\r\n\r\n`,
    'a NUL in a header': `${json}X-A: b\0c\r\n\r\n`,
    'a chunk size that is none': `${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  };
  for (const [name, rest] of Object.entries(cases))
    test(name, async () => {
      const { answer } = await speak(`POST /api/auth/login HTTP/1.1\r\n${host}${rest}`);
      expect(statusesOf(answer)).toStrictEqualFor(answer, [400]);
    });
  test('bare line feeds', async () => expect(statusesOf((await speak('GET /api/me HTTP/1.1\nHost: x\n\n')).answer)).toStrictEqual([400]));
});

describe('no spelling of a path reaches what is not public', () => {
  const paths = [
    '/api/auth/../../openapi.json',
    '/api/auth/..%2f..%2fopenapi.json',
    '/api/me/%2e%2e/%2e%2e/openapi.json',
    '/openapi.json',

    '/api/auth/%2e%2e%2f%2e%2e%2fgraphql',
    '//api/me',
    '/api//me',
    '/api/me/',
    '/API/me',
    '/api/auth%2flogin',
    '/api/me%00',
    '/api/me;x=1',
    '/pictures/..%2f..%2fsecrets.json',
    '/pictures/%2e%2e/%2e%2e/secrets.json',
    '/api/me\\x',
    '/api/roles/%',
    '/api/roles/%ff',
    '/%ff',
    '/api/organizations/../me',
    '/org/../.well-known/jwks.json',
  ];
  for (const path of paths)
    test(path, async () => {
      const { answer } = await speak(`GET ${path} HTTP/1.1\r\n${closing}Authorization: Bearer ${person.token}\r\n\r\n`);
      expect(statusesOf(answer)).toStrictEqualFor(answer.slice(0, 500), [404]);
      expect(answer).toMatch(/"code":"NOT_FOUND"/);
    });
});

describe('headers of ours say nothing when a client sends them', () => {
  const spoofed = [
    'X-Tessera-Credential: forged',
    'X-Tessera-User: 0190a000-0000-7000-8000-000000000001',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-For: 127.0.0.1',
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /graphql',
    'Forwarded: for=127.0.0.1;host=evil.example',
  ];
  for (const header of spoofed)
    test(header, async () => {
      const { answer } = await speak(`GET /api/me HTTP/1.1\r\n${closing}${header}\r\n\r\n`);
      expect(statusesOf(answer)).toStrictEqual([401]);
      expect(answer).not.toMatch(/evil/);
    });
  test('and a Connection header takes none of ours away', async () => {
    const names = 'close, x-tessera-credential, x-request-id, traceparent';
    const { answer } = await speak(`GET /api/me HTTP/1.1\r\n${host}Connection: ${names}\r\nAuthorization: Bearer ${person.token}\r\n\r\n`);
    expect(statusesOf(answer)).toStrictEqualFor(answer, [200]);
  });
});

describe('floods end early', () => {
  test('of cookies and of headers', async () => {
    for (const flood of [`Cookie: a=${'x'.repeat(20_000)}\r\n`, 'X-A: 1\r\n'.repeat(500)]) {
      const { answer } = await speak(`GET /api/me HTTP/1.1\r\n${closing}${flood}\r\n`);
      expect(statusesOf(answer)).toStrictEqual([431]);
    }
  });

  test('of headers that come a byte at a time', async () => {
    const { answer, ms } = await speak(`GET /api/me HTTP/1.1\r\n${host}X-Slow: `, 25_000);
    expect(statusesOf(answer)).toStrictEqual([408]);
    expect(ms).toBeLessThan(20_000);
  });

  test('and nothing is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    for (const path of ['/api/auth/login', '/graphql']) {
      const { answer } = await speak(
        `POST ${path} HTTP/1.1\r\n${closing}${json}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n${bomb.toString('latin1')}`,
      );
      expect([400, 413, 415].includes(statusesOf(answer)[0] ?? 0)).toStrictEqualFor(answer.slice(0, 300), true);
    }
  });
});

describe('other sites get nothing of a signed-in browser', () => {
  test('no form can send a document or a sign-in', async () => {
    const client = createClient(stack.url, 'browser');
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain; application/json',
    ]) {
      const headers = { 'content-type': type, origin: 'https://evil.example', cookie: `refresh_token=${person.refreshToken}` };
      for (const path of ['/graphql', '/api/auth/refresh', '/api/auth/login']) {
        const { status } = await client.call('POST', path, { body: '{"query":"{ __typename }"}', headers });
        expect(status).toStrictEqualFor(`${path} as ${type}`, 415);
      }
    }
    // A link can send a query, but the cookie signs no query in, and a mutation is refused.
    const headers = { accept: 'application/json', cookie: `refresh_token=${person.refreshToken}` };
    const read = await client.get(`/graphql?query=${encodeURIComponent('{ me { email } }')}`, undefined, headers);
    expect(read.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const change = 'mutation { refreshSession { accessToken } }';
    expect((await client.get(`/graphql?query=${encodeURIComponent(change)}`, undefined, headers)).status).toBe(400);
  });

  test('no strange origin may read', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${stack.url}.evil.example`,
      stack.url.replace('http:', 'https:'),
      `${stack.url}@evil.example`,
    ])
      for (const method of ['GET', 'OPTIONS']) {
        const headers = { origin, 'access-control-request-method': 'POST' };
        const answer = await createClient(stack.url).call(method, '/api/me', { headers });
        expect(answer.headers['access-control-allow-origin']).toStrictEqualFor(origin, undefined);
        expect(answer.headers['access-control-allow-credentials']).toStrictEqualFor(origin, undefined);
      }
  });
});

describe('the graph hides its own fields and suggests no names', () => {
  for (const query of [
    '{ _service { sdl } }',
    'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
    '{ rolse { id } }',
  ])
    test(query, async () => {
      const { status, body } = await person.client.graphql(query, { r: [] }, person.token);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).not.toMatch(/Did you mean|roles/);
    });
});
