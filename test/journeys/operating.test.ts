/**
 * Runs the commands of docs/operating.md "Without containers" as they stand there, from an empty
 * folder to doctor's verdict, and then kills a replica of each service.
 */
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { request } from 'undici';
import { startPostgres } from '../../tools/postgres/server.ts';
import { createClient } from '../support/client.ts';
import { choosePorts, doctor, httpPorts, openCheckout, runCommands, startCommands, withPorts } from '../support/operating.ts';
import { testUnless } from '../support/unless.ts';
import { until } from '../support/until.ts';
import { createOrganization, createPerson, createProject, dataOf } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const redisUrl = process.env.TEST_REDIS_URL;
const withoutRedis = redisUrl ? false : 'NOT RUN: TEST_REDIS_URL is not set';

const serviceCount = 4;

/** How many gRPC calls a replica has answered besides health checks. */
async function callsOf(port: string): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const counts = (await body.text()).matchAll(/^grpc_server_duration_seconds_count\{.*method="\/(?!grpc\.)[^"]*".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

testUnless(withoutRedis)(
  'the commands of the page start two replicas of each service, doctor finds nothing broken, calls reach every replica, and one of each may be killed',
  async () => {
    const folder = openCheckout(cleanup);
    const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-operating-db-')), profile: 'fast', ephemeral: true });
    cleanup.defer(() => server.stop());
    const { search } = new URL(server.adminUrl);

    const ports = await choosePorts();
    const portOf = (port: string) => ports.get(port) ?? port;
    const script = startCommands()
      .join('\n')
      .replace(/^export .*$/m, '')
      .replace(/^NODE_ENV=production$/m, '$&\nMETRICS_ENABLED=true');
    const page = runCommands(cleanup, folder, withPorts(script, ports), {
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
      const [, list = ''] = new RegExp(`^${service}_${kind}_URL=(.*)$`, 'm').exec(startCommands().join('\n')) ?? [];
      expect(new Set(list.split(',')).size).toStrictEqualFor(`${service}_${kind}_URL`, 2);
    }
});
