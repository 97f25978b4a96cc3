/**
 * Runs the commands of docs/production.md as they stand there, in their order, with those of
 * docs/operating.md that it begins with: processes, TLS, administrator, backup, alerts, rotation.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { startPostgres } from '../../../tools/postgres/server.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { createClient } from '../../support/client.ts';
import {
  choosePorts,
  commandsOf,
  gatewayPorts,
  httpPorts,
  openCheckout,
  runCommands,
  startCommands,
  withPorts,
} from '../../support/operating.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { createPerson, dataOf } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const redisUrl = process.env.TEST_REDIS_URL;
const missing = ['nginx', 'openssl', 'prometheus', 'promtool'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
const reason = redisUrl ? missing.length > 0 && `NOT RUN: apt-get install ${missing.join(' ')}` : 'NOT RUN: TEST_REDIS_URL is not set';

const [settings = '', tls = '', administrator = '', backup = '', rehearsal = '', monitoring = '', rotation = '', ...more] = commandsOf(
  'docs/production.md',
  '## 2. ',
);

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tessera-${name}-`));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** nginx with a certificate, which includes what the page puts into conf.d. */
async function startNginx(home: string): Promise<void> {
  for (const name of ['conf.d', 'tls', 'temp']) mkdirSync(join(home, name));
  const [certificate, key] = ['crt', 'key'].map((end) => join(home, 'tls', `id.example.com.${end}`));
  const subject = ['-subj', '/CN=id.example.com', '-addext', 'subjectAltName=DNS:id.example.com', '-days', '1', '-nodes'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', key ?? '', '-out', certificate ?? ''];
  execFileSync('openssl', made, { stdio: 'ignore' });
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${home}/temp/${kind};`).join('\n');
  const main = `daemon off;\npid ${home}/pid;\nerror_log ${home}/log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\ninclude ${home}/conf.d/*.conf;\n}\n`;
  writeFileSync(join(home, 'nginx.conf'), main);
  const child = spawn('nginx', ['-c', join(home, 'nginx.conf')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
}

testUnless(reason)(
  'the page leads from nothing to two replicas behind TLS, an administrator, a backup that can be restored, alerts and a rotated key',
  async () => {
    expect(more).toStrictEqual([]);
    const folder = openCheckout(cleanup);
    const [nginx, prometheus, backups] = [newFolder('nginx'), newFolder('prometheus'), newFolder('backups')];
    const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-production-db-')), profile: 'fast', ephemeral: true });
    cleanup.defer(() => server.stop());
    await startNginx(nginx);
    const ports = await choosePorts();
    const portOf = (port: string) => ports.get(port) ?? port;
    const tlsPort = await choosePort(0, '127.0.0.1');
    const plainPort = await choosePort(0, '127.0.0.1');
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      DATABASE_ADMIN_URL: server.adminUrl,
      APP_URL: 'https://id.example.com',
      DATABASE: `localhost/tessera${new URL(server.adminUrl).search}`,
      REDIS_URL: `${redisUrl}/3`,
    };
    const [write = '', ...start] = startCommands();
    const begin = [write.replace(/^export .*$/m, ''), settings, ...start].join('\n');
    const running = runCommands(cleanup, folder, withPorts(begin, ports), env);
    const processes = await running.ready();
    expect(processes).toHaveLength(httpPorts.length + gatewayPorts.length);

    /** One block of the page; its programs and folders are those of this test. */
    const follow = (block: string): string => {
      const gateways = gatewayPorts.map((port) => `-e 's/127.0.0.1:${port}/127.0.0.1:${portOf(port)}/'`).join(' ');
      const listen = `-e 's#/etc/nginx#${nginx}#' -e '/listen \\[/d' -e 's/listen 443/listen 127.0.0.1:${tlsPort}/' -e 's/listen 80/listen 127.0.0.1:${plainPort}/'`;
      const prelude = `
        nginx() { sed -i ${gateways} ${listen} ${nginx}/conf.d/tessera.conf; command nginx -c ${nginx}/nginx.conf "$@"; }
        curl() { command curl --retry 20 --retry-all-errors --retry-delay 1 --cacert ${nginx}/tls/id.example.com.crt --connect-to id.example.com:443:127.0.0.1:${tlsPort} "$@"; }`;
      const own = block
        .replaceAll('/etc/nginx/', `${nginx}/`)
        .replaceAll('/etc/prometheus/', `${prometheus}/`)
        .replaceAll('/backups/', `${backups}/`);
      return execFileSync('bash', ['-euc', `${prelude}\n${own}`], { cwd: folder, env, encoding: 'utf8' });
    };

    expect(follow(tls)).toContain('answers over TLS');

    const gateway = { url: `http://127.0.0.1:${portOf('3000')}`, dataDir: join(folder, 'data') };
    const ada = await createPerson(gateway);
    expect(follow(administrator.replace('ada@example.com', ada.email))).toContain('administers the platform');
    expect((await ada.client.get('/api/platform/tenants', ada.token)).status).toBe(200);

    expect(follow(backup)).toMatch(/^wrote \d+ rows/);
    expect(follow(rehearsal)).toMatch(/^restored \d+ rows/m);
    const restored = new URL(server.adminUrl);
    restored.pathname = '/rehearsal';
    const people = 'SELECT count(*)::int AS count FROM identity.users';
    expect((await withClient(restored.href, (client) => client.query(people))).rows).toStrictEqual([{ count: 1 }]);

    follow(withPorts(monitoring, ports));
    const page = `http://127.0.0.1:${await choosePort(0, '127.0.0.1')}`;
    const program = spawn(
      'prometheus',
      [
        `--config.file=${prometheus}/prometheus.yml`,
        `--storage.tsdb.path=${prometheus}/data`,
        `--web.listen-address=${new URL(page).host}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = once(program, 'exit');
    cleanup.defer(async () => {
      program.kill('SIGTERM');
      await ended;
    });
    const asker = createClient(page);
    const isUp = ({ value }: { value: readonly string[] }) => value[1] === '1';
    const up = () =>
      asker.get('/api/v1/query?query=up').then(
        ({ status, body }) => (status === 200 ? body.data.result.filter(isUp).length : 0),
        () => 0,
      );
    await until(async () => (await up()) === processes.length, 90_000);
    const alerts = readFileSync(join(prometheus, 'alerts.yml'), 'utf8').match(/- alert: /g);
    const { groups } = (await asker.get('/api/v1/rules?type=alert')).body.data;
    expect(groups.flatMap(({ rules }: { rules: readonly object[] }) => rules)).toHaveLength(alerts?.length ?? 0);

    const keys = async () => (await ada.client.get('/.well-known/jwks.json')).body.keys.length;
    const before = await keys();
    follow(rotation);
    await until(async () => (await keys()) > before);
    expect(dataOf(await ada.client.get('/api/me', ada.token)).email).toBe(ada.email);
    expect(await running.end()).toBe(0);
  },
  420_000,
);
