import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { openContext } from './context.ts';
import { readProfile, writeProfile } from './profiles.ts';
import { createProgram } from './program.ts';

afterEach(() => void jest.restoreAllMocks());

test('a command that runs sends no token of another address that the profile signs in at meanwhile', async () => {
  using cleanup = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-cli-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  jest.replaceProperty(process, 'env', { XDG_CONFIG_HOME: folder });
  const sent: (readonly [url: string, authorization: string | null])[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    sent.push([String(url), new Headers(init?.headers).get('authorization')]);
    return Response.json({ success: true, data: {} });
  });
  const jwt = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub, iat: 1, exp: 2 })).toString('base64url')}.s`;
  const tokens = (sub: string) => ({ accessToken: jwt(sub), refreshToken: 'r', expiresAt: Date.now() + 900_000 });
  writeProfile('default', { url: 'https://one.example.com', tokens: tokens('one') });
  const { client } = openContext({});
  await client.getMe();
  writeProfile('default', { url: 'https://two.example.com', tokens: tokens('two') });
  await expect(client.getMe()).rejects.toThrow('Profile default is signed in at https://two.example.com.');
  expect(sent).toStrictEqual([['https://one.example.com/api/me', `Bearer ${jwt('one')}`]]);
});

test('no token goes to another machine by http, unless it is allowed', () => {
  jest.replaceProperty(process, 'env', { TESSERA_TOKEN: 'a token' });
  expect(() => openContext({ url: 'http://iam.example.com' })).toThrow('http://iam.example.com is not encrypted.');
  expect(() => openContext({ url: 'http://127.0.0.1:3000' })).not.toThrow();
  jest.replaceProperty(process, 'env', { TESSERA_TOKEN: 'a token', TESSERA_ALLOW_HTTP: 'true' });
  expect(() => openContext({ url: 'http://iam.example.com' })).not.toThrow();
});

test('no command sends a token to another machine by http, and each says what to set', async () => {
  using cleanup = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-cli-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const url = 'http://iam.example.com';
  jest.replaceProperty(process, 'env', { XDG_CONFIG_HOME: folder });
  const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const run = (...args: readonly string[]) => createProgram().parseAsync([...args], { from: 'user' });
  const refusal = `${url} is not encrypted. Use https, or set TESSERA_ALLOW_HTTP=true in a network that you trust.`;
  for (const command of [['login'], ['login', '--loopback'], ['whoami'], ['orgs'], ['export']])
    await expect(run(...command, '--url', url, '--scope', 'organization:o')).rejects.toThrow(refusal);
  // A profile from before, or from a shell where it was allowed.
  writeProfile('default', { url, tokens: { accessToken: 'a', refreshToken: 'r', expiresAt: Date.now() + 900_000 } });
  await expect(run('whoami')).rejects.toThrow(refusal);
  await expect(run('logout')).rejects.toThrow(`Forgotten here, but ${url} did not end the session: end it in the console.`);
  expect(readProfile('default')).toBeUndefined();
  expect(fetched).not.toHaveBeenCalled();
});
