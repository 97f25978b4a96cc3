/** The examples of deploy/reverse-proxy, checked by their own programs and before a server. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { testUnless } from '../../test/support/unless.ts';
import { until } from '../../test/support/until.ts';
import { choosePort } from '../stack/ports.ts';
import { repositoryFolder } from '../stack/repository.ts';

function read(name: string): string {
  return readFileSync(join(repositoryFolder, 'deploy', 'reverse-proxy', name), 'utf8');
}

function isMissing(program: string): boolean {
  return spawnSync(program, ['version'], { stdio: 'ignore' }).error !== undefined;
}

function newFolder(cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Stands where the gateway is, and keeps the headers that arrive. */
async function startGateway(cleanup: AsyncDisposableStack) {
  const seen: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ path: url, headers });
    response.end('answered');
  });
  const port = await choosePort(0, '127.0.0.1');
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  cleanup.defer(async () => void server.close());
  return { port, seen };
}

async function startProxy(
  cleanup: AsyncDisposableStack,
  home: string,
  [program, ...given]: readonly [string, ...string[]],
  url: string,
): Promise<void> {
  const child = spawn(program, given, { stdio: 'ignore', env: { ...process.env, HOME: home } });
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await new Promise((exited) => (child.exitCode === null ? child.once('exit', exited) : exited(undefined)));
  });
  await until(() =>
    ask(url, '/').then(
      () => true,
      () => false,
    ),
  );
}

async function ask(url: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(`${url}${path}`, { dispatcher, headers: { host: 'id.example.com', ...headers } });
  await body.text();
  await dispatcher.close();
  return { statusCode, answered };
}

/** What every proxy before the gateway must do. */
async function assertKeepsTheEdge(url: string, seen: { path: string | undefined; headers: IncomingHttpHeaders }[]): Promise<void> {
  const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' };
  const { statusCode, answered } = await ask(url, '/api/me?x=1', forged);
  expect([statusCode, answered['strict-transport-security']]).toStrictEqual([200, expect.stringContaining('max-age=63072000')]);
  const { path, headers } = seen.at(-1) ?? { path: '', headers: {} };
  expect([path, headers['x-forwarded-for'], headers.host]).toStrictEqual(['/api/me?x=1', '127.0.0.1', 'id.example.com']);
  expect(headers['x-forwarded-host'] ?? '').not.toContain('evil');
  const before = seen.length;
  for (const hidden of ['/metrics', '/ready', '/%6detrics', '//metrics', '/./ready', '/metrics?x']) {
    const answer = await ask(url, hidden);
    const arrived = seen.slice(before).map(({ path: each }) => each);
    // What arrives in another spelling is unknown to the gateway.
    expect(arrived.filter((each) => /^\/(?:metrics|ready)(?:\?|$)/.test(each ?? ''))).toStrictEqualFor(hidden, []);
    expect(answer.statusCode === 404 || arrived.length > 0).toStrictEqualFor(hidden, true);
  }
}

const noNginx = (isMissing('nginx') || isMissing('openssl')) && 'NOT RUN with nginx: apt-get install nginx openssl';
testUnless(noNginx)('nginx believes no forwarded header of a client, and hides what is not for the public', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = newFolder(cleanup);
  const { port: upstream, seen } = await startGateway(cleanup);
  const [port, plain] = [await choosePort(0, '127.0.0.1'), await choosePort(0, '127.0.0.1')];
  const subject = ['-subj', '/CN=id.example.com', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
  execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', join(folder, 'key'), '-out', join(folder, 'crt')], { stdio: 'ignore' });
  const site = read('nginx.conf')
    .replaceAll(/\/etc\/nginx\/tls\/id\.example\.com\.(crt|key)/g, (_, end) => join(folder, end))
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  writeFileSync(
    join(folder, 'conf'),
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log ${folder}/log;\nevents {}\nhttp {\n${temporary}\naccess_log off;\n${site}\n}\n`,
  );
  await startProxy(cleanup, folder, ['nginx', '-p', folder, '-c', join(folder, 'conf')], `https://127.0.0.1:${port}`);
  await assertKeepsTheEdge(`https://127.0.0.1:${port}`, seen);
});

const noCaddy = isMissing('caddy') && 'NOT RUN with Caddy: apt-get install caddy';
testUnless(noCaddy)(
  'Caddy accepts its example, believes no forwarded header of a client, and hides what is not for the public',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const folder = newFolder(cleanup);
    const file = join(repositoryFolder, 'deploy', 'reverse-proxy', 'Caddyfile');
    const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
    });
    expect(status).toStrictEqualFor(stderr, 0);
    const { port: upstream, seen } = await startGateway(cleanup);
    const port = await choosePort(0, '127.0.0.1');
    const site = read('Caddyfile')
      .replace('id.example.com {', `http://id.example.com:${port} {`)
      .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`);
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n\n${site}`);
    await startProxy(
      cleanup,
      folder,
      ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
      `http://127.0.0.1:${port}`,
    );
    await assertKeepsTheEdge(`http://127.0.0.1:${port}`, seen);
  },
);

const noEnvoy = isMissing('envoy') && 'NOT RUN with Envoy: it is not installed';
testUnless(noEnvoy)('Envoy accepts its example', () => {
  const file = join(repositoryFolder, 'deploy', 'reverse-proxy', 'envoy.yaml');
  const { status, stderr } = spawnSync('envoy', ['--mode', 'validate', '--config-path', file], { encoding: 'utf8' });
  expect(status).toStrictEqualFor(stderr, 0);
});

test('Envoy’s example appends the true address, has one spelling of a path, and hides what is not for the public', () => {
  const { static_resources: resources } = parse(read('envoy.yaml'));
  const [, https] = resources.listeners;
  const [{ filters, transport_socket: socket }] = https.filter_chains;
  const [{ typed_config: manager }] = filters;
  expect(socket.typed_config.common_tls_context.tls_params).toStrictEqual({ tls_minimum_protocol_version: 'TLSv1_2' });
  expect([
    manager.use_remote_address,
    manager.normalize_path,
    manager.merge_slashes,
    manager.path_with_escaped_slashes_action,
  ]).toStrictEqual([true, true, true, 'REJECT_REQUEST']);
  const [{ routes }] = manager.route_config.virtual_hosts;
  expect(routes.map(({ match, direct_response: direct }: Record<string, { status?: number }>) => [match, direct?.status])).toStrictEqual([
    [{ path: '/metrics' }, 404],
    [{ path: '/ready' }, 404],
    [{ prefix: '/' }, undefined],
  ]);
});
