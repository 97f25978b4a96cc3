import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { goodPassword, login, registered, startIdentity, type TestService } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';
import { openBreachedPasswords } from './breached.ts';

const known = 'Breached7!Word';
const fresh = 'Unheard7!Of';
const logged: string[] = [];
const logger = { warn: (_details: object, message: string) => void logged.push(message) };

function sha1(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

/** A range API on this machine. Returns its URL and the requests that it got. */
async function startRangeApi(cleanup: AsyncDisposableStack, listener?: RequestListener) {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (listener) return listener(request, response);
    const hash = sha1(known);
    const padding = `${'0'.repeat(35)}:0\r\n${sha1(fresh).slice(5)}:0\r\n`;
    response.end(`${padding}${request.url?.endsWith(hash.slice(0, 5)) ? `${hash.slice(5)}:42\r\n` : ''}`);
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  cleanup.defer(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/range` };
}

function writeList(cleanup: AsyncDisposableStack, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'breached-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'hashes.txt');
  writeFileSync(file, content);
  return file;
}

describe('the range API', () => {
  test('five digits of the hash leave, and neither the password nor the rest', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { url, asked } = await startRangeApi(cleanup);
    const list = await openBreachedPasswords({ url: `${url}/`, file: undefined, logger });
    expect([await list.has(known), await list.has(fresh)]).toStrictEqual([true, false]);
    expect(asked).toStrictEqual([known, fresh].map((password) => `GET /range/${sha1(password).slice(0, 5)}`));
  });

  const faults: readonly [string, RequestListener][] = [
    ['an error', (_request, response) => response.writeHead(503).end()],
    ['a redirect, which is not followed', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    [
      'an answer without end',
      (_request, response) => {
        const write = (): void => {
          while (response.write('0'.repeat(65_536)));
          response.once('drain', write);
        };
        write();
      },
    ],
    ['no answer', () => undefined],
  ];
  for (const [name, listener] of faults)
    test(`${name} refuses no password, and is logged`, async () => {
      await using cleanup = new AsyncDisposableStack();
      const { url } = await startRangeApi(cleanup, listener);
      const list = await openBreachedPasswords({ url, file: undefined, logger, timeoutMs: 300 });
      logged.length = 0;
      expect(await list.has(known)).toBe(false);
      expect(logged.join()).toContain('does not answer');
    });
});

describe('the local file', () => {
  const passwords = Array.from({ length: 300 }, (_, index) => `Password-${index}!`);
  const hashes = passwords.map(sha1).toSorted();
  const forms = {
    'with counts': hashes.map((hash, index) => `${hash}:${index + 1}`).join('\r\n'),
    'hashes alone, lower case': `${hashes.join('\n').toLowerCase()}\n`,
    'one hash': `${hashes[0]}`,
  };
  for (const [name, content] of Object.entries(forms))
    test(`${name}: every hash is found, and no other`, async () => {
      await using cleanup = new AsyncDisposableStack();
      const list = await openBreachedPasswords({ url: undefined, file: writeList(cleanup, content), logger });
      cleanup.defer(() => list.stop());
      const isIn = (password: string) => content.toUpperCase().includes(sha1(password));
      for (const password of passwords) expect(await list.has(password)).toStrictEqualFor(password, isIn(password));
      for (const password of ['a', 'b', fresh, '']) expect(await list.has(password)).toStrictEqualFor(password, false);
    });

  test('a file that is missing, empty or no list stops the start', async () => {
    await using cleanup = new AsyncDisposableStack();
    const openFile = (file: string) => openBreachedPasswords({ url: undefined, file, logger });
    await expect(openFile('/nonexistent/list')).rejects.toThrow(/cannot be read/);
    for (const content of ['', 'password\nletmein\n', hashes.toReversed().join('\n')])
      await expect(openFile(writeList(cleanup, content))).rejects.toThrow(/SHA-1 hashes/);
  });
});

describe('with the service', () => {
  /** All doors through which a password is chosen. */
  async function choose(service: TestService, password: string) {
    const credentials = (providerId: string) => ({ provider: 'email', providerId, providerData: { password } });
    const [{ email }, { accessToken: token }] = [await registered(service), await registered(service)];
    await call(service, 'rest', 'requestPasswordReset', { email });
    const reset = (await service.mails(email, 2)).find(({ template }) => template === 'reset-password');
    const changed = { currentPassword: goodPassword, newPassword: password, confirmPassword: password };
    return {
      email,
      register: await call(service, 'rest', 'register', credentials(`new.${newId()}@example.com`)),
      'register in GraphQL': await call(service, 'graphql', 'register', credentials(`new.${newId()}@example.com`)),
      change: await call(service, 'rest', 'changePassword', changed, { token }),
      reset: await call(service, 'rest', 'resetPassword', { token: reset?.data['token'], newPassword: password }),
    };
  }

  test('a breached password is refused at each door with the field and the rule, and changes nothing', async () => {
    await using cleanup = new AsyncDisposableStack();
    const { url } = await startRangeApi(cleanup);
    const service = await startIdentity({ BREACHED_PASSWORDS_URL: url });
    cleanup.defer(() => service.stop());
    const { email, ...doors } = await choose(service, known);
    for (const [door, { code, key }] of Object.entries(doors))
      expect([code, key]).toStrictEqualFor(door, ['VALIDATION_ERROR', 'errors.password.breached']);
    expect(doors.register.field).toBe('providerData.password');
    expect((await login(service, email)).status).toBe(200);
    const invited = { invitationId: newId(), organizationId: newId(), email: `invited.${newId()}@example.com`, name: '', password: known };
    await expect(service.grpc.registerInvited(invited)).rejects.toThrow(/breach/);
    const { email: _, ...others } = await choose(service, fresh);
    for (const [door, { code }] of Object.entries(others)) expect(code).toStrictEqualFor(door, 'ok');
  });

  test('a list that is away stops no registration', async () => {
    await using cleanup = new AsyncDisposableStack();
    const service = await startIdentity({ BREACHED_PASSWORDS_URL: 'http://127.0.0.1:1/range' });
    cleanup.defer(() => service.stop());
    const { email: _, ...doors } = await choose(service, known);
    for (const [door, { code }] of Object.entries(doors)) expect(code).toStrictEqualFor(door, 'ok');
  });
});
