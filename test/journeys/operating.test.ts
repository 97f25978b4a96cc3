/**
 * Runs the commands of docs/operating.md "Without containers" as they stand there, from an empty
 * folder to doctor's verdict, and then kills a replica of each service.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { request } from 'undici';
import { startPostgres } from '../../tools/postgres/server.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { createClient } from '../support/client.ts';
import { testUnless } from '../support/unless.ts';
import { until } from '../support/until.ts';
import { createOrganization, createPerson, createProject, dataOf } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const redisUrl = process.env.TEST_REDIS_URL;
const withoutRedis = redisUrl ? false : 'NOT RUN: TEST_REDIS_URL is not set';

function commands(): string {
  const page = readFileSync(join(repositoryFolder, 'docs/operating.md'), 'utf8');
  const section = page.slice(page.indexOf('## Without containers'), page.indexOf('## Compose profiles'));
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('\n');
}

const serviceCount = 4;
/** The HTTP ports of the services and of the gateways on the page: first replicas, then second. */
const httpPorts = ['4001', '4002', '4003', '4004', '4011', '4012', '4013', '4014'];
const grpcPorts = ['5001', '5002', '5003', '5004', '5011', '5012', '5013', '5014'];
const gatewayPorts = ['3000', '3010'];

/** Each port of the page as a free one of this machine. */
async function choosePorts(): Promise<ReadonlyMap<string, string>> {
  const ports = new Map<string, string>();
  for (const port of [...httpPorts, ...grpcPorts, ...gatewayPorts])
    for (let chosen = ''; !ports.has(port); ) {
      chosen = String(await choosePort(0, '127.0.0.1'));
      if (![...ports.values()].includes(chosen)) ports.set(port, chosen);
    }
  return ports;
}

/** How many gRPC calls a replica has answered besides health checks. */
async function callsOf(port: string): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const counts = (await body.text()).matchAll(/^grpc_server_duration_seconds_count\{.*method="\/(?!grpc\.)[^"]*".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The last command of the page, once more. */
async function doctor(cwd: string) {
  const args = ['--disable-warning=ExperimentalWarning', 'tools/doctor/main.ts', '--env-file', '.env'];
  const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env.PATH } });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, stdout };
}

/** Runs the page, then waits: `end` lets it stop every process. */
function run(folder: string, script: string, env: NodeJS.ProcessEnv) {
  const after = 'echo "processes: $(jobs -p | tr "\\n" " ")"\nread -r _ || true\nkill $(jobs -p) || true\nwait || true';
  const child = spawn('bash', ['-euc', `${script}\n${after}`], { cwd: folder, detached: true, env });
  cleanup.defer(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const ready = async () => {
    await Promise.race([ended, until(() => output.stdout.includes('processes: '), 240_000)]);
    return (/^processes: (.*)$/m.exec(output.stdout)?.[1] ?? '').split(' ').filter(Boolean).map(Number);
  };
  const end = () => {
    child.stdin.end();
    return ended;
  };
  return { output, ready, end };
}

testUnless(withoutRedis)(
  'the commands of the page start two replicas of each service, doctor finds nothing broken, calls reach every replica, and one of each may be killed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-operating-'));
    cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of readdirSync(repositoryFolder))
      if (!name.startsWith('.') && name !== 'node_modules') symlinkSync(join(repositoryFolder, name), join(folder, name));
    const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-operating-db-')), profile: 'fast', ephemeral: true });
    cleanup.defer(() => server.stop());
    const { search } = new URL(server.adminUrl);

    const ports = await choosePorts();
    const portOf = (port: string) => ports.get(port) ?? port;
    const script = commands()
      .replace(/^export .*$/m, '')
      .replace(/^NODE_ENV=production$/m, '$&\nMETRICS_ENABLED=true')
      .replaceAll(/\b[345]0\d\d\b/g, portOf);
    const page = run(folder, script, {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      DATABASE_ADMIN_URL: server.adminUrl,
      // A database of its own: other tests count their limits in the first.
      APP_URL: 'https://id.example.com',
      DATABASE: `localhost/tessera${search}`,
      REDIS_URL: `${redisUrl}/2`,
    });
    const processes = await page.ready();
    const { output } = page;
    expect(processes).toHaveLength(2 * (serviceCount + 1));
    expect(output.stderr).not.toContain('The configuration has');
    expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0);
    for (const printed of ['migrated: ', 'exit code ']) expect(output.stdout).toContain(printed);
    // Doctor waits two seconds for each answer, and these are ten processes that have just begun.
    await until(async () => {
      const { status, stdout } = await doctor(folder);
      return status === 2 && !stdout.includes('✖');
    }, 120_000);

    const stack = (port: string) => ({ url: `http://127.0.0.1:${portOf(port)}`, dataDir: join(folder, 'data') });
    const [first, second] = [stack('3000'), stack('3010')];
    const ada = await createPerson(first);
    await createProject(ada, await createOrganization(ada));
    const busy = () => Promise.all(httpPorts.map((port) => callsOf(portOf(port))));
    await until(async () => (await busy()).every((count) => count > 0));

    // Every gateway and service has one peer of each kind left, and is not told.
    for (const pid of [...processes.slice(0, serviceCount), ...processes.slice(2 * serviceCount, -1)]) process.kill(pid, 'SIGKILL');
    const left = { ...ada, client: createClient(second.url, `device of ${ada.email}`) };
    // What was on its way when a replica ended is lost (docs/reliability.md), and nothing after it.
    await until(
      async () => (await left.client.post('/api/organizations', { scope: ada.account, name: 'Lost?' }, ada.token)).status === 201,
    );
    for (let time = 1; time <= 3; time += 1) {
      const project = await createProject(left, await createOrganization(left, `After ${time}`));
      expect(dataOf(await left.client.get('/api/me', left.token)).email).toBe(ada.email);
      const question = { permission: { resource: 'Role', action: 'Query' }, scope: project };
      expect(dataOf(await left.client.post('/api/auth/is-authorized', question, left.token))).toMatchObject({ authorized: true });
    }
    await createPerson(second);
    expect(await page.end()).toBe(0);
  },
  300_000,
);

test('the page names two replicas of every service in every list', () => {
  for (const service of ['IDENTITY', 'TENANCY', 'RBAC', 'KEYS'])
    for (const kind of ['HTTP', 'GRPC']) {
      const [, list = ''] = new RegExp(`^${service}_${kind}_URL=(.*)$`, 'm').exec(commands()) ?? [];
      expect(new Set(list.split(',')).size).toStrictEqualFor(`${service}_${kind}_URL`, 2);
    }
});
