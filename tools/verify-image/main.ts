import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginUrl } from '../postgres/bootstrap.ts';
import { startPostgres } from '../postgres/server.ts';
import { databaseServices, services, variablePrefix } from '../services.ts';
import { choosePort } from '../stack/ports.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { type Instruction, parseDockerfile } from './dockerfile.ts';

/**
 * A folder takes the place of the image's root, with `/app` and `/data` below it, and this account
 * the place of its user.
 */
const imageUser = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
const stages = parseDockerfile(readFileSync(join(repositoryFolder, 'deploy', 'Dockerfile'), 'utf8'));

await using parts = new AsyncDisposableStack();
const root = mkdtempSync(join(tmpdir(), 'tessera-image-'));
parts.defer(() => rmSync(root, { recursive: true, force: true }));
spawnSync('chmod', ['755', root]);

const context = step('context', () => checkOut(join(root, 'context')));
const folders = new Map<string, string>();
for (const { name, instructions } of stages) step(`stage ${name || 'final'}`, () => build(name, instructions));
const app = join(folders.get('') ?? '', 'app');
const size = spawnSync('du', ['-sm', app], { encoding: 'utf8' }).stdout.split('\t')[0];
console.log(`  image contents: ${size} MB`);
await runImage();
console.log('The image builds, migrates, starts, answers and stops.');

function step<Result>(name: string, run: () => Result): Result {
  const began = performance.now();
  const result = run();
  console.log(`  ${name.padEnd(20)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** What the engine would be sent: the committed files. */
function checkOut(folder: string): string {
  mkdirSync(folder);
  shell(`git -C "${repositoryFolder}" archive HEAD | tar -x -C "${folder}"`, repositoryFolder);
  return folder;
}

function build(name: string, instructions: readonly Instruction[]): void {
  const stageRoot = join(root, `stage-${name || 'final'}`);
  const workdir = join(stageRoot, 'app');
  mkdirSync(workdir, { recursive: true });
  folders.set(name, stageRoot);
  for (const instruction of instructions) {
    if (instruction.kind === 'COPY') copy(instruction, workdir);
    if (instruction.kind === 'RUN') shell(instruction.command.replaceAll(' /data', ` ${join(stageRoot, 'data')}`), workdir);
  }
}

function copy({ from, sources, target }: Instruction & { readonly kind: 'COPY' }, workdir: string): void {
  for (const source of sources) {
    const path = from === undefined ? join(context, source) : join(folders.get(from) ?? '', source);
    const into = target.endsWith('/') && !isFolder(path) ? join(workdir, target, basename(source)) : join(workdir, target);
    cpSync(path, into, { recursive: true, verbatimSymlinks: true });
  }
}

function isFolder(path: string): boolean {
  return spawnSync('test', ['-d', path]).status === 0;
}

function shell(command: string, cwd: string): void {
  const result = spawnSync('sh', ['-ec', command], { cwd, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${command}\n${result.stdout}${result.stderr}`);
}

async function runImage(): Promise<void> {
  // The base image has Node at /usr/local/bin/node; the same version is copied to where the image's
  // account can read it.
  const node = join(root, 'node');
  cpSync(process.execPath, node);
  const postgres = await startPostgres({ folder: join(root, 'postgres'), profile: 'fast', ephemeral: true });
  parts.defer(() => postgres.stop());
  const adminUrl = new URL(postgres.adminUrl);
  const sockets = adminUrl.searchParams.get('host') ?? '';
  spawnSync('chmod', ['-R', 'a+rwx', sockets]); // a deployment uses the network; here the other account uses the same socket
  const secret = () => randomBytes(32).toString('hex');
  const urls = Object.fromEntries(
    databaseServices.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, loginUrl(adminUrl.href, 'tessera', service, secret())]),
  );
  const run = (words: readonly string[], env: NodeJS.ProcessEnv) =>
    spawn(node, ['--disable-warning=ExperimentalWarning', ...words], {
      ...imageUser,
      cwd: app,
      env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  const migration = run(['tools/migrate/main.ts'], { ...urls, DATABASE_ADMIN_URL: adminUrl.href });
  migration.stdout?.pipe(process.stdout);
  const [migrated] = await once(migration, 'exit');
  if (migrated !== 0) throw new Error('The migration job failed');

  const ports = new Map(
    await Promise.all(
      services.map(async (service) => [service, [await choosePort(0, '127.0.0.1'), await choosePort(0, '127.0.0.1')]] as const),
    ),
  );
  const port = (service: (typeof services)[number], door: 0 | 1) => ports.get(service)?.[door] ?? 0;
  const common = {
    APP_URL: 'https://id.example.com',
    INTERNAL_AUTH_SECRET: secret(),
    DATA_DIR: join(root, 'stage-final', 'data'),
    ...Object.fromEntries(
      databaseServices.flatMap((service) => [
        [`${variablePrefix(service)}_HTTP_URL`, `http://127.0.0.1:${port(service, 0)}`],
        [`${variablePrefix(service)}_GRPC_URL`, `127.0.0.1:${port(service, 1)}`],
      ]),
    ),
  };
  const own = (service: (typeof services)[number]): Record<string, string> =>
    service === 'gateway'
      ? { HOST: '127.0.0.1', PORT: String(port('gateway', 0)) }
      : {
          HTTP_LISTEN: `127.0.0.1:${port(service, 0)}`,
          GRPC_LISTEN: `127.0.0.1:${port(service, 1)}`,
          [`${variablePrefix(service)}_DATABASE_URL`]: urls[`${variablePrefix(service)}_DATABASE_URL`] ?? '',
          ...(service === 'keys' ? { KEYS_ENCRYPTION_KEY: randomBytes(32).toString('base64') } : {}),
        };
  const processes = services
    .map((service) => ({ service, env: { ...common, ...own(service) } }))
    .map(({ service, env }) => {
      const child = run([`services/${service}/src/main.ts`], env);
      let said = '';
      child.stdout?.on('data', (chunk) => (said += chunk));
      return { service, env, child, said: () => said };
    });
  parts.defer(() => {
    for (const { child } of processes) child.kill('SIGKILL');
  });
  for (const { service, env, child, said } of processes) {
    const deadline = Date.now() + 60_000;
    while ((await once(run(['deploy/healthcheck.mjs'], env), 'exit'))[0] !== 0) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${service} is not ready:\n${said()}`);
      await sleep(200);
    }
    console.log(`  ${service} is ready`);
  }
  const answer = await fetch(`http://127.0.0.1:${port('gateway', 0)}/.well-known/jwks.json`);
  if (answer.status !== 200) throw new Error(`JWKS answered ${answer.status}`);
  for (const { service, child } of processes) {
    child.kill('SIGTERM');
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    if (code !== 0) throw new Error(`${service} ended with exit code ${code}`);
  }
}
