/** The peers, each on the same machine, in programs that are installed for the run alone. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../../../tools/postgres/server.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import type { HttpTarget } from '../load/http.ts';
import { type Processes, startProgram } from '../load/processes.ts';
import { answerOf, expectRefusal, nextAmount, otherActions, type Product, taskOf } from './product.ts';

const localhost = '127.0.0.1';

type Installed = {
  versionOf(name: string): string;
  start(file: string, env?: Readonly<Record<string, string>>): Promise<{ readonly origin: string; readonly processes: Processes }>;
};

/** Copies the programs into an empty folder, with their lock of versions, and installs there. */
export function installPeers(cleanup: AsyncDisposableStack): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-compare-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL('peers', import.meta.url)), folder, { recursive: true });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // The peer ranges of better-auth name frameworks, none of which is used here.
  execFileSync('npm', ['install', '--legacy-peer-deps', ...quiet], { cwd: folder, stdio: 'inherit' });
  return {
    versionOf: (name) => JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version,
    start: async (file, env = {}) => {
      const url = `http://${localhost}:${await choosePort(0, localhost)}`;
      const program = await startProgram(join(folder, file), { NODE_ENV: 'production', URL: url, ...env }, { cwd: folder });
      cleanup.use(program);
      return { origin: program.address, processes: { server: program.pid } };
    },
  };
}

export async function openBetterAuth(installed: Installed, cleanup: AsyncDisposableStack): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-compare-db-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  // Postgres runs as another account where this one is root.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), profile: 'durable' });
  cleanup.defer(() => postgres.stop());
  const secret = randomBytes(32).toString('hex');
  const { origin, processes } = await installed.start('better-auth.mjs', { SECRET: secret, DATABASE_URL: postgres.adminUrl });
  const post = (path: string, body: object, cookie = ''): HttpTarget => ({
    origin,
    method: 'POST',
    path: `/api/auth${path}`,
    headers: { origin, ...(cookie === '' ? {} : { cookie }) },
    body: JSON.stringify(body),
  });
  const credentials = { email: 'ada@example.com', password: 'Correct-Horse7!' };
  const { headers } = await answerOf(post('/sign-up/email', { name: 'Ada', ...credentials }));
  const cookie = headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { text } = await answerOf(post('/organization/create', { name: 'Acme', slug: 'acme' }, cookie));
  const organizationId: string = JSON.parse(text).id;
  const question = (action: string) => post('/organization/has-permission', { organizationId, permissions: { member: [action] } }, cookie);
  const get = (path: string): HttpTarget => ({ origin, path: `/api/auth${path}`, headers: { cookie } });
  return {
    name: 'better-auth',
    version: installed.versionOf('better-auth'),
    processes: { ...processes, postgres: Number(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]) },
    tasks: {
      'sign-in': () => taskOf(post('/sign-in/email', credentials), /"token"/, 'scrypt, as it comes; session'),
      session: () => taskOf(get('/get-session'), /"email"/, 'get-session, from the database'),
      renewal: () => taskOf(get('/token'), /"token":"ey/, 'RS256; a token from the session, nothing is replaced'),
      decision: async () => {
        await expectRefusal(question('nothing'), /"success":false/);
        return taskOf(question('create'), /"success":true/, 'organization/has-permission: roles are code, no condition');
      },
    },
  };
}

export async function openOidcProvider(installed: Installed): Promise<Product> {
  const secret = randomBytes(32).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { origin, processes } = await installed.start('oidc-provider.mjs', { SECRET: secret, PRIVATE_KEY: pem });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`machine:${secret}`).toString('base64')}`,
  };
  const target: HttpTarget = { origin, method: 'POST', path: '/token', headers, body: 'grant_type=client_credentials' };
  return {
    name: 'oidc-provider alone',
    version: installed.versionOf('oidc-provider'),
    processes,
    tasks: { token: () => taskOf(target, /"access_token":"ey/, 'RS256; one client in memory, nothing is kept') },
  };
}

export async function openCerbos(installed: Installed): Promise<Product> {
  const grpcListen = `${localhost}:${await choosePort(0, localhost)}`;
  const { origin, processes } = await installed.start('cerbos.mjs', { GRPC_LISTEN: grpcListen, ACTIONS: JSON.stringify(otherActions) });
  const question = (amount: () => number, actions: readonly string[] = ['read']): HttpTarget => ({
    origin,
    method: 'POST',
    path: '/api/check/resources',
    forbidden: 'EFFECT_DENY',
    body: () =>
      JSON.stringify({
        principal: { id: 'ada', roles: ['reader'] },
        resources: [{ actions, resource: { kind: 'invoice', id: '1', attr: { amount: amount() } } }],
      }),
  });
  const decision = async (amount: () => number) => {
    await expectRefusal(
      question(() => 5_000),
      /"read":"EFFECT_DENY"/,
    );
    return taskOf(question(amount), /"read":"EFFECT_ALLOW"/, 'no token; the caller says the roles; one condition');
  };
  return {
    name: 'Cerbos',
    version: installed.versionOf('cerbos'),
    processes,
    tasks: {
      decision: () => decision(() => 10),
      'new-decision': () => decision(nextAmount),
      permissions: () =>
        taskOf(
          question(() => 10, ['read', ...otherActions]),
          /"do18":"EFFECT_ALLOW"/,
          'asked for all 20 by name: it has no list',
        ),
    },
  };
}

export async function openCasbin(installed: Installed): Promise<Product> {
  const { origin, processes } = await installed.start('casbin.mjs', { ACTIONS: JSON.stringify(otherActions) });
  const question = (amount: () => number): HttpTarget => ({
    origin,
    method: 'POST',
    path: '/',
    forbidden: '"allowed":false',
    body: () => JSON.stringify({ subject: 'ada', resource: { kind: 'invoice', amount: amount() }, action: 'read' }),
  });
  const decision = async (amount: () => number) => {
    await expectRefusal(
      question(() => 5_000),
      /"allowed":false/,
    );
    return taskOf(question(amount), /"allowed":true/, 'no token; a library behind node:http; one condition');
  };
  return {
    name: 'Casbin',
    version: installed.versionOf('casbin'),
    processes,
    tasks: {
      decision: () => decision(() => 10),
      'new-decision': () => decision(nextAmount),
      permissions: () => taskOf({ origin, path: '/' }, /"do18"/, 'from memory'),
    },
  };
}
