/**
 * The lines for foreign libraries, of docs/guides/libraries.md and of an app's page in the console,
 * as they stand there, against a running stack. What can't run here is skipped by name.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { decodeJwt } from 'jose';
import { request } from 'undici';
import { parse } from 'yaml';
import { choosePort } from '../../tools/stack/ports.ts';
import type { App } from '../../web/src/console/screens/app/fields.ts';
import { type Snippet, snippetsOf } from '../../web/src/console/screens/app/snippets.ts';
import { blocksOf, guidesFolder } from '../support/guides/page.ts';
import { type Program, programOf, signInBy } from '../support/guides/program.ts';
import { openPersonsBrowser, sayYes } from '../support/packages/person-browser.ts';
import { unpackPackages } from '../support/packages/unpack.ts';
import { openSignIn } from '../support/sign-in.ts';
import { testUnless } from '../support/unless.ts';
import { until } from '../support/until.ts';

const cleanup = new AsyncDisposableStack();
const signIns = await openSignIn();
const python = '/usr/bin/python3';
const modules = '/usr/lib/apache2/modules';
const beside = join(import.meta.dirname, '../support/guides/libraries');

let shop: Awaited<ReturnType<typeof signIns.createShop>>;
let issuer: string;
/** A folder in which the libraries of the lines are found. */
let folder: string;
beforeAll(async () => {
  shop = await signIns.createShop();
  issuer = issuerOf(signIns.stack.url, shop.project);
  folder = unpackPackages(cleanup, [], ['openid-client', 'oauth4webapi', '@auth/core']);
  mkdirSync(join(folder, 'node_modules/next-auth'));
  cpSync(join(beside, 'next-auth.mjs'), join(folder, 'node_modules/next-auth/index.mjs'));
  writeFileSync(join(folder, 'node_modules/next-auth/package.json'), '{ "type": "module", "exports": "./index.mjs" }');
});
afterAll(() => cleanup.disposeAsync());

type Made = App & { readonly clientSecret?: string };

async function createApp(type: App['type'], redirectUri: string): Promise<Made> {
  const kind = type === null ? {} : { type };
  const fields = type === 'machine' ? { redirectUris: [], allowSignUp: false, signUpRoleId: null, roleId: shop.roleId } : {};
  return (await shop.createApp({ ...kind, redirectUris: [redirectUri], ...fields })) as unknown as Made;
}

function environment({ clientId, clientSecret = '' }: Made, redirectUri = '') {
  const own = { PYTHONDONTWRITEBYTECODE: '1', ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URI: redirectUri };
  return { PATH: process.env.PATH, HOME: folder, ...own };
}

function inConsole(app: Made, library: string): string {
  return snippetsOf(app, issuer).find((snippet) => snippet.library === library)?.code ?? '';
}

function inGuide(language: string): string {
  return blocksOf(join(guidesFolder, 'libraries.md')).find((block) => block.language === language)?.text ?? '';
}

let files = 0;
function write(code: string, suffix: string): string {
  files += 1;
  const file = join(folder, `page-${files}.${suffix}`);
  writeFileSync(file, code);
  return file;
}

async function signsIn(run: Program['run'], app: Made, redirectUri: string): Promise<void> {
  const claims = await signInBy(signIns.stack, shop.owner, { run, folder, env: environment(app, redirectUri), redirectUri });
  expect(claims).toMatchObject({ iss: issuer, aud: app.clientId, sub: shop.owner.userId });
}

const callback = 'http://127.0.0.1:8080/callback';
const javascript = [
  ['web', 'openid-client (Node.js)'],
  ['web', 'oauth4webapi (any JavaScript)'],
  ['spa', 'oauth4webapi (any JavaScript)'],
  ['native', 'openid-client (Node.js)'],
] as const;
for (const [type, library] of javascript)
  test(`console, ${type}: the lines of ${library} sign a person in`, async () => {
    const app = await createApp(type, callback);
    await signsIn([process.execPath, write(programOf(inConsole(app, library)), 'mjs')], app, callback);
  });

/** Runs the routes of Auth.js as a server would that has their address. */
const routes = `
const answer = (path, method = 'GET', cookies = '') =>
  handlers[method](new Request('https://app.example' + path, { method, headers: { cookie: cookies } }));
const cookiesOf = ({ headers }) => headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
const begun = await answer('/api/auth/signin/tessera', 'POST');
const url = new URL(begun.headers.get('location'));
// At the redirect URI:
const address = new URL(request.url);
const ended = await answer(address.pathname + address.search, 'GET', cookiesOf(begun));
const { idToken } = await (await answer('/api/auth/session', 'GET', cookiesOf(ended))).json();
const tokens = { id_token: idToken };
`;
const authCallback = 'https://app.example/api/auth/callback/tessera';

test('console, web: the lines of Auth.js sign a person in', async () => {
  const app = await createApp('web', authCallback);
  await signsIn([process.execPath, write(programOf(inConsole(app, 'Auth.js') + routes), 'mjs')], app, authCallback);
});

test('guide: the lines of Auth.js 5 sign a person in', async () => {
  const app = await createApp('web', authCallback);
  const said = /type: 'oauth', \/\/ '(\w+)' in Auth\.js 5, without the two lines below it\n.*\n.*\n/;
  const forAuthJs5 = inGuide('js').replace(said, "type: '$1',\n");
  expect(forAuthJs5).toContain("type: 'oidc',\n  issuer:");
  const code = `import NextAuth from 'next-auth';\n${forAuthJs5}\nconst { handlers } = NextAuth({ providers: [tessera] });\n${routes}`;
  await signsIn([process.execPath, write(programOf(code), 'mjs')], app, authCallback);
});

function without(module: string): string | false {
  try {
    execFileSync(python, ['-c', `import ${module}`], { stdio: 'ignore' });
    return false;
  } catch {
    return `SKIPPED: NOT RUN, no ${module} for ${python} here (.ci/run installs it)`;
  }
}

const withoutAuthlib = without('authlib') || without('requests');

testUnless(withoutAuthlib)('console, web: the lines of authlib sign a person in', async () => {
  const app = await createApp('web', callback);
  await signsIn([python, join(beside, 'authlib_app.py'), write(inConsole(app, 'authlib (Python)'), 'py')], app, callback);
});

testUnless(withoutAuthlib)('guide: the lines of authlib sign a person in', async () => {
  const app = await createApp('web', callback);
  await signsIn([python, join(beside, 'authlib_app.py'), write(inGuide('py'), 'py')], app, callback);
});

const run = promisify(execFile);

test('console, machine: the lines of curl get a token', async () => {
  const app = await createApp('machine', callback);
  const { stdout } = await run('bash', ['-c', `${inConsole(app, 'curl')} --silent`], { env: environment(app) });
  expect(decodeJwt(JSON.parse(stdout).access_token).iss).toBe(issuer);
});

test('console, machine: the lines of openid-client get a token', async () => {
  const app = await createApp('machine', callback);
  const file = write(`${inConsole(app, 'openid-client (Node.js)')}\nconsole.log(access_token);`, 'mjs');
  expect(decodeJwt((await run(process.execPath, [file], { env: environment(app) })).stdout).iss).toBe(issuer);
});

testUnless(withoutAuthlib)('console, machine: the lines of authlib get a token', async () => {
  const app = await createApp('machine', callback);
  const file = write(`${inConsole(app, 'authlib (Python)')}\nprint(token["access_token"])\n`, 'py');
  expect(decodeJwt((await run(python, [file], { env: environment(app) })).stdout).iss).toBe(issuer);
});

test('console, an app without a type: the line of HTTP begins a sign-in', async () => {
  const app = await createApp(null, callback);
  const [, path = ''] = /^GET (\S+)$/.exec(inConsole(app, 'HTTP')) ?? [];
  const { status, headers } = await fetch(signIns.stack.url + path, { redirect: 'manual' });
  expect([status, headers.get('location')]).toStrictEqual([302, expect.not.stringContaining('error=')]);
});

/** Apache with the lines of a page, and a page behind them that says who asks. */
async function startApache(cleanup: AsyncDisposableStack, code: string, app: Made, port: number): Promise<void> {
  const site = mkdtempSync(join(tmpdir(), 'tessera-apache-'));
  cleanup.defer(() => rmSync(site, { recursive: true, force: true }));
  chmodSync(site, 0o755);
  mkdirSync(join(site, 'site'));
  writeFileSync(join(site, 'site/index.html'), 'In Apache');
  writeFileSync(join(site, 'passphrase'), 'a passphrase of the server', { mode: 0o644 });
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'auth_openidc'];
  const protectedPlace = '<Location />\n  AuthType openid-connect\n  Require valid-user\n</Location>';
  const lines = code.replace('/etc/apache2/oidc-passphrase', join(site, 'passphrase'));
  writeFileSync(
    join(site, 'apache.conf'),
    `
ServerRoot "${site}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${site}/pid"
ErrorLog "${site}/error.log"
DefaultRuntimeDir "${site}"
User www-data
Group www-data
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
DocumentRoot "${site}/site"
DirectoryIndex index.html
${lines.includes('<Location />') ? lines : `${lines}\n${protectedPlace}`}
Header always set x-person "%{OIDC_CLAIM_sub}e"
`,
  );
  const args = ['-X', '-f', join(site, 'apache.conf')];
  const child = spawn('/usr/sbin/apache2', args, { env: environment(app), stdio: ['ignore', 'inherit', 'inherit'] });
  cleanup.defer(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    ),
  );
}

const noApache =
  !existsSync(`${modules}/mod_auth_openidc.so`) && 'SKIPPED: NOT RUN, no libapache2-mod-auth-openidc here (.ci/run installs it)';
for (const place of ['console, web', 'guide'])
  testUnless(noApache)(`${place}: the lines of mod_auth_openidc sign a person in`, async () => {
    await using server = new AsyncDisposableStack();
    const port = await choosePort(0, '127.0.0.1');
    const [own, back] = [`http://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/callback`];
    const app = await createApp('web', back);
    const code =
      place === 'guide' ? inGuide('apache').replace('https://app.example/callback', back) : inConsole(app, 'Apache mod_auth_openidc');
    await startApache(server, code, app, port);
    const cookies = new Map<string, string>();
    // Apache sends only navigations to the sign-in, which fetch says that its requests are not.
    const visit = async (address: string | URL) => {
      const answer = await request(address, {
        headers: { accept: 'text/html', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      });
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const { location, 'x-person': person } = answer.headers;
      return { status: answer.statusCode, text: await answer.body.text(), location: String(location), person };
    };
    const begun = await visit(own);
    expect(begun.status).toStrictEqualFor(begun.text, 302);
    const browser = await openPersonsBrowser(signIns.stack, shop.owner.email);
    const ended = await visit(await sayYes(browser, begun.location, back));
    expect([ended.status, ended.location]).toStrictEqualFor(ended.text, [302, own]);
    const { text, person } = await visit(own);
    expect([text, person]).toStrictEqual(['In Apache', shop.owner.userId]);
  });

test('console, web: the YAML of Spring Boot is read, and its issuer found as Spring looks for it (NOT RUN in Spring: it is not here)', async () => {
  const app = await createApp('web', 'https://app.example/login/oauth2/code/tessera');
  const { client } = parse(inConsole(app, 'Spring Boot (Java)')).spring.security.oauth2;
  expect(client.registration.tessera).toMatchObject({
    'client-id': app.clientId,
    'client-secret': expect.stringMatching(/^\$\{CLIENT_SECRET\}$/),
  });
  const discovered = await (await fetch(`${client.provider.tessera['issuer-uri']}/.well-known/openid-configuration`)).json();
  expect(discovered).toMatchObject({ issuer: client.provider.tessera['issuer-uri'] });
});

test('console, spa: the lines of oidc-client-ts are JavaScript (NOT RUN: oidc-client-ts is not here)', async () => {
  const app = await createApp('spa', callback);
  await run(process.execPath, ['--check', write(inConsole(app, 'oidc-client-ts (browser)'), 'mjs')]);
});

/** The brackets and quotes of a text, where each is closed in its order. */
function isBalanced(code: string): boolean {
  const open: string[] = [];
  for (const [sign] of code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '').matchAll(/[()[\]{}"]/g)) {
    const pair = { ')': '(', ']': '[', '}': '{' }[sign];
    if (pair === undefined) open.push(sign);
    else if (open.pop() !== pair) return false;
  }
  return open.length === 0;
}

test('console, native: the lines of AppAuth close what they open (NOT RUN: no Kotlin compiler here)', async () => {
  const app = await createApp('native', 'com.example.app:/callback');
  const code = inConsole(app, 'AppAuth (Android, Kotlin)');
  expect([isBalanced(code), isBalanced(code.replace('}', '')), code.includes(app.clientId)]).toStrictEqual([true, false, true]);
});

function withoutGo(): string | false {
  try {
    execFileSync('gofmt', ['-h'], { stdio: 'ignore' });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && 'SKIPPED: NOT READ, go is missing (.ci/run installs it)';
  }
}

testUnless(withoutGo())(
  'guide: the lines of go-oidc are Go (NOT RUN: no go-oidc with S256ChallengeOption can be installed here)',
  async () => {
    const [imports = '', lines = ''] = ['package main\n', inGuide('go')];
    await run('gofmt', ['-e', write(`${imports}func signIn() {\n${lines}}\n`, 'go')]);
  },
);

test('every library of the console and of the guide is in a test of this file', () => {
  const covered = {
    web: [
      'openid-client (Node.js)',
      'oauth4webapi (any JavaScript)',
      'Auth.js',
      'authlib (Python)',
      'Apache mod_auth_openidc',
      'Spring Boot (Java)',
    ],
    spa: ['oidc-client-ts (browser)', 'oauth4webapi (any JavaScript)'],
    native: ['openid-client (Node.js)', 'AppAuth (Android, Kotlin)'],
    machine: ['curl', 'openid-client (Node.js)', 'authlib (Python)'],
  } as const;
  const app = { clientId: 'x', redirectUris: [], postLogoutRedirectUris: [], scopes: [] };
  for (const type of ['web', 'spa', 'native', 'machine'] as const) {
    const shown = snippetsOf({ ...app, type } as unknown as App, issuer).map(({ library }: Snippet) => library);
    expect(shown).toStrictEqual(covered[type]);
  }
  // test/pages signs in with what the page says of Passport, behind these.
  const inGuideToo = blocksOf(join(guidesFolder, 'libraries.md')).map(({ language }) => language);
  expect(inGuideToo.slice(0, 4)).toStrictEqual(['js', 'py', 'apache', 'go']);
});
