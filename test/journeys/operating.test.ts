/**
 * Runs the commands of docs/operating.md "Without containers" as they stand there, from an empty
 * folder to doctor's verdict.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { startPostgres } from '../../tools/postgres/server.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

function commands(): string {
  const page = readFileSync(join(repositoryFolder, 'docs/operating.md'), 'utf8');
  const section = page.slice(page.indexOf('## Without containers'), page.indexOf('## Compose profiles'));
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('\n');
}

test('the file of generate-secrets.sh and the commands of the page start every service, and doctor finds nothing broken', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-operating-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(repositoryFolder))
    if (!name.startsWith('.') && name !== 'node_modules') symlinkSync(join(repositoryFolder, name), join(folder, name));
  const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-operating-db-')), profile: 'fast', ephemeral: true });
  cleanup.defer(() => server.stop());
  const { search } = new URL(server.adminUrl);

  let script = commands().replace(/^export .*$/m, '');
  for (const port of ['4001', '4002', '4003', '4004', '5001', '5002', '5003', '5004', '3000'])
    script = script.replaceAll(port, String(await choosePort(0, '127.0.0.1')));
  const child = spawn('bash', ['-euc', `${script}\nkill $(jobs -p); wait || true`], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, DATABASE_ADMIN_URL: server.adminUrl },
      ...{ APP_URL: 'https://id.example.com', DATABASE: `localhost/tessera${search}` },
    },
  });
  cleanup.defer(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((ended) => child.once('close', ended));
  expect([code, stderr]).toStrictEqualFor(stdout.slice(-3_000), [0, expect.not.stringContaining('The configuration has')]);
  expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0);
  expect(stdout).toContain('migrated: ');
  expect(stdout).toContain('exit code 2');
  expect(stdout).not.toContain('✖');
}, 240_000);
