/** Foreign clients sign a person in, in a real browser, by discovery alone. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { heading, open, press, register, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

shareStack();

const python = '/usr/bin/python3';
const modules = '/usr/lib/apache2/modules';

function hasAuthlib(): boolean {
  try {
    execFileSync(python, ['-c', 'import authlib, requests'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const noAuthlib = skip || (!hasAuthlib() && 'NOT RUN with authlib: no python3-authlib here');
const noApache = skip || (!existsSync(`${modules}/mod_auth_openidc.so`) && 'NOT RUN with Apache: no libapache2-mod-auth-openidc here');

/** A person, and a web app of a new project that people may join. */
async function arranged(redirectUri: string, changes: object = {}) {
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app: { clientId: string; clientSecret?: string } = await shop.createApp({ type: 'web', redirectUris: [redirectUri], ...changes });
  return { address, issuer: issuerOf(signIns().stack.url, shop.project), clientId: app.clientId, clientSecret: app.clientSecret ?? '' };
}

/** Signs in on the pages, from the app's address to the app's own page. */
async function signInThrough(url: string, address: string, begin: (page: Page) => Promise<void> = async () => undefined) {
  const visitor = await open();
  const { page } = visitor;
  await page.goto(url);
  await begin(page);
  await heading(page, 'Sign in to Shop');
  await signIn(page, address);
  await heading(page, 'Allow Shop?');
  await press(page, 'Allow');
  return visitor;
}

function stopWith(cleanup: AsyncDisposableStack, child: ChildProcessByStdio<Writable | null, Readable | null, null>): void {
  cleanup.defer(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
}

type Foreign = {
  readonly run: readonly [command: string, script: string, ...parameters: readonly string[]];
  /** What its app in Tessera differs in. */
  readonly changes?: object;
  /** The path of its redirect URI. */
  readonly callback: string;
  /** What a person does in the app before it begins. */
  readonly begin?: (page: Page) => Promise<void>;
};

/** Each of these apps says 'Hello', signs out at `/leave`, and says 'Signed out' at `/bye`. */
async function signsInAndOut({ run: [command, script, ...parameters], changes = {}, callback, begin = async () => undefined }: Foreign) {
  await using cleanup = new AsyncDisposableStack();
  const path = new URL(`openid-clients/${script}`, import.meta.url).pathname;
  const child = spawn(command, [path, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  stopWith(cleanup, child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const bye = { postLogoutRedirectUris: [`${url}/bye`], ...changes };
  const { address, issuer, clientId, clientSecret } = await arranged(url + callback, bye);
  child.stdin.write(`${JSON.stringify({ issuer, client_id: clientId, client_secret: clientSecret })}\n`);
  expect((await lines.next()).value).toBe('ready');
  const { page, complaints } = await signInThrough(url, address, begin);
  await heading(page, `Hello ${address}`);
  await page.goto(`${url}/leave`);
  await heading(page, 'Sign out of Tessera, too?');
  await press(page, 'Sign out of everything');
  await heading(page, 'Signed out');
  await page.goto(url);
  await begin(page);
  await heading(page, 'Sign in to Shop');
  expect(complaints).toStrictEqual([]);
}

testUnless(noAuthlib)('authlib signs a person in, and out', () => signsInAndOut({ run: [python, 'authlib_app.py'], callback: '/cb' }));

testUnless(skip)('oauth4webapi signs a person in, and out', () =>
  signsInAndOut({ run: [process.execPath, 'oauth4webapi_app.mjs'], callback: '/cb' }),
);

testUnless(skip)('Auth.js signs a person in, and out', () =>
  signsInAndOut({
    run: [process.execPath, 'authjs_app.mjs'],
    callback: '/auth/callback/tessera',
    begin: (page) => press(page, 'Sign in with Tessera'),
  }),
);

testUnless(skip)('Auth.js without PKCE signs a person in by a nonce, and out', () =>
  signsInAndOut({
    run: [process.execPath, 'authjs_app.mjs', '--without-pkce'],
    changes: { requirePkce: false },
    callback: '/auth/callback/tessera',
    begin: (page) => press(page, 'Sign in with Tessera'),
  }),
);

testUnless(skip)('passport-openidconnect signs a person in by a nonce, and out', () =>
  signsInAndOut({ run: [process.execPath, 'passport_app.mjs'], changes: { requirePkce: false }, callback: '/callback' }),
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Site = {
  readonly folder: string;
  readonly port: number;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

function apacheConfig({ folder, port, issuer, clientId, clientSecret }: Site): string {
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'auth_openidc'];
  return `
ServerRoot "${folder}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${folder}/pid"
ErrorLog "${folder}/error.log"
DefaultRuntimeDir "${folder}"
User www-data
Group www-data
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
DocumentRoot "${folder}/site"
DirectoryIndex index.html
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${clientSecret}
OIDCRedirectURI http://127.0.0.1:${port}/cb
OIDCCryptoPassphrase ${clientId}
OIDCScope "openid email profile"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email
<Location />
  AuthType openid-connect
  Require valid-user
  Header always set x-user "%{OIDC_CLAIM_email}e"
</Location>
<Location /bye>
  AuthType None
  Require all granted
</Location>
`;
}

testUnless(noApache)('Apache with mod_auth_openidc signs a person in, and out', async () => {
  await using cleanup = new AsyncDisposableStack();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { address, ...client } = await arranged(`${url}/cb`, { postLogoutRedirectUris: [`${url}/bye/`] });
  const folder = await mkdtemp(join(tmpdir(), 'tessera-apache-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  for (const [path, title] of [
    ['site', 'In Apache'],
    ['site/bye', 'Signed out'],
  ] as const) {
    await mkdir(join(folder, path));
    await writeFile(join(folder, path, 'index.html'), `<!doctype html><title>${title}</title><h1>${title}</h1>`);
  }
  await writeFile(join(folder, 'apache.conf'), apacheConfig({ ...client, folder, port }));
  stopWith(cleanup, spawn('/usr/sbin/apache2', ['-X', '-f', join(folder, 'apache.conf')], { stdio: ['ignore', 'pipe', 'inherit'] }));
  await until(async () =>
    fetch(`${url}/bye/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const { page, complaints } = await signInThrough(`${url}/`, address);
  await heading(page, 'In Apache');
  const again = await page.goto(`${url}/`);
  expect(again?.headers()['x-user']).toBe(address);
  await page.goto(`${url}/cb?logout=${encodeURIComponent(`${url}/bye/`)}`);
  await heading(page, 'Sign out of Tessera, too?');
  await press(page, 'Sign out of everything');
  await heading(page, 'Signed out');
  const cookies = await page.context().cookies(url);
  expect(cookies.filter(({ name }) => name === 'mod_auth_openidc_session')).toStrictEqual([]);
  await page.goto(`${url}/`);
  await heading(page, 'Sign in to Shop');
  expect(complaints).toStrictEqual([]);
});
