import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Finding } from './finding.ts';
import { examineOutside } from './outside.ts';

type Answer = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };
type Answers = Readonly<Record<string, Answer | ((response: ServerResponse) => void)>>;

const headers = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'content-security-policy': "default-src 'none'" };
const key = { kty: 'RSA', alg: 'RS256', use: 'sig', kid: 'a', n: 'n'.repeat(342), e: 'AQAB' };

function goodAnswers(url: string): Answers {
  return {
    '/health': { headers, body: { status: 'ok' } },
    '/ready': { body: { status: 'ready', checks: { identity: 'ok', keys: 'ok' } } },
    '/.well-known/openid-configuration': {
      body: {
        issuer: url,
        jwks_uri: `${url}/.well-known/jwks.json`,
        token_endpoint: `${url}/oauth/token`,
        code_challenge_methods_supported: ['S256'],
      },
    },
    '/.well-known/jwks.json': { body: { keys: [key] } },
    '/api/me': { status: 401, headers: { 'ratelimit-policy': '"global";q=100;w=60' }, body: {} },
    '/api-docs.json': { body: { info: { version: '0.1.0' } } },
  };
}

/** What the doctor says about a server with these answers in place of good ones. */
async function examine(changes: (url: string) => Answers): Promise<readonly Finding[]> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = { ...goodAnswers(url), ...changes(url) };
  server.on('request', (request, response) => {
    const answer = answers[request.url ?? ''] ?? { status: 404, body: {} };
    if (typeof answer === 'function') return answer(response);
    const { status = 200, body } = answer;
    response.writeHead(status, answer.headers ?? {});
    return response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  try {
    return await examineOutside(url, 500);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const said = (findings: readonly Finding[]) =>
  findings
    .filter(({ level }) => level === 'unsafe' || level === 'error')
    .map(({ level, check, message }) => `${level} ${check}: ${message}`);

test('a good one has nothing to mend', async () => {
  const findings = await examine(() => ({}));
  expect(said(findings)).toStrictEqual([]);
  expect(findings.map(({ check }) => check)).toStrictEqual(
    expect.arrayContaining(['tls', 'http', 'clock', 'headers', 'services', 'openid', 'keys', 'production']),
  );
});

const cases: readonly [string, Answers, string][] = [
  ['another page at /health', { '/health': { body: '<html>' } }, 'error http: answers 200 at /health'],
  ['a redirect at /health', { '/health': { status: 302, headers: { location: 'https://evil.example' } } }, 'error http: answers 302'],
  ['a service that is away', { '/ready': { status: 503, body: { checks: { rbac: 'failed' } } } }, 'error services: has no replica'],
  ['headers that a proxy took', { '/health': { body: { status: 'ok' } } }, 'unsafe headers: x-content-type-options'],
  [
    'a clock that is off',
    { '/health': { headers: { ...headers, date: 'Tue, 01 Jan 2030 00:00:00 GMT' }, body: { status: 'ok' } } },
    'error clock:',
  ],
  ['another issuer', { '/.well-known/openid-configuration': { body: { issuer: 'https://evil.example' } } }, 'error openid: the issuer is'],
  ['no discovery', { '/.well-known/openid-configuration': { status: 404, body: {} } }, 'error openid: answers 404'],
  ['no keys', { '/.well-known/jwks.json': { body: { keys: [] } } }, 'error keys: there is no key'],
  ['a private key', { '/.well-known/jwks.json': { body: { keys: [{ ...key, d: 'd' }] } } }, 'error keys: A PRIVATE KEY'],
  ['a short key', { '/.well-known/jwks.json': { body: { keys: [{ ...key, n: 'n'.repeat(171) }] } } }, 'error keys: one is not RS256'],
  ['two keys of one id', { '/.well-known/jwks.json': { body: { keys: [key, key] } } }, 'error keys: two have the same kid'],
  ['keys that are none', { '/.well-known/jwks.json': { body: { keys: [null, 7] } } }, 'error keys: one is no key'],
  ['no limits', { '/api/me': { status: 401, body: {} } }, 'unsafe production: requests are not limited'],
  ['metrics in public', { '/metrics': { body: 'x 1' } }, 'unsafe production: /metrics'],
  ['the IDE in public', { '/graphql': { body: '<html>' } }, 'unsafe production: the GraphQL IDE'],
  [
    'every origin',
    { '/health': { headers: { ...headers, 'access-control-allow-origin': '*' }, body: { status: 'ok' } } },
    'unsafe production: every origin',
  ],
  [
    'no end of an answer',
    { '/.well-known/jwks.json': (response) => void response.write('{') },
    'error http: one of its addresses gives no answer',
  ],
  [
    'an answer without end',
    {
      '/.well-known/jwks.json': (response) => {
        for (let count = 0; count < 80; count += 1) response.write('x'.repeat(65_536));
        response.end();
      },
    },
    'longer than',
  ],
];

for (const [name, answers, expected] of cases)
  test(`${name} is said`, async () => {
    expect(said(await examine(() => answers)).join('\n')).toContain(expected);
  });

test('an endpoint on another host is said', async () => {
  const findings = await examine((url) => ({
    '/.well-known/openid-configuration': {
      body: { issuer: url, token_endpoint: `${url}.evil.example/token`, code_challenge_methods_supported: ['S256'] },
    },
  }));
  expect(said(findings).join()).toContain('token_endpoint leads to another host');
});

test('what a server says does not write to the terminal, and is cut', async () => {
  const evil = `\u001b[2J\u009b${'x'.repeat(5_000)}`;
  const findings = await examine(() => ({
    '/ready': { body: { checks: { [evil]: 'failed' } } },
    '/.well-known/openid-configuration': { body: { issuer: evil } },
    '/api-docs.json': { body: { info: { version: evil } } },
  }));
  for (const { subject, message } of findings) {
    expect(`${subject} ${message}`).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(350);
    expect(subject.length).toBeLessThan(350);
  }
});

test('no server, and one that never answers, end in time', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const [tls, gateway] = await examineOutside(`http://127.0.0.1:${port}`, 500);
  expect([tls?.level, gateway?.level, gateway?.message]).toStrictEqual(['note', 'error', expect.stringContaining('ECONNREFUSED')]);
  const findings = await examine(() => ({ '/health': () => undefined }));
  expect(said(findings).join()).toContain('no answer within 0.5 s');
});
