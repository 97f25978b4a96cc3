import { type ChildProcess, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginUrl } from '../postgres/bootstrap.ts';
import { startPostgres } from '../postgres/server.ts';
import { databaseServices, services, variablePrefix } from '../services.ts';
import { choosePort } from '../stack/ports.ts';

/** Runs a command as the image's entry point would. `terminate` sends it SIGTERM. */
export type Launch = (
  words: readonly string[],
  env: Readonly<Record<string, string>>,
) => { readonly child: ChildProcess; readonly terminate: () => void };

interface Place {
  readonly launch: Launch;
  /** The data folder, as the services see it. */
  readonly dataFolder: string;
}

/** The migration job, then the five services: they get ready, answer, and stop when told. */
export async function runImage({ launch, dataFolder }: Place): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const postgres = await startPostgres({
    folder: join(tmpdir(), `tessera-image-postgres-${process.pid}`),
    profile: 'fast',
    ephemeral: true,
  });
  parts.defer(() => postgres.stop());
  const adminUrl = new URL(postgres.adminUrl);
  const sockets = adminUrl.searchParams.get('host') ?? '';
  spawnSync('chmod', ['-R', 'a+rwx', sockets]); // a deployment uses the network; here the other account uses the same socket
  const secret = () => randomBytes(32).toString('hex');
  const urls = Object.fromEntries(
    databaseServices.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, loginUrl(adminUrl.href, 'tessera', service, secret())]),
  );
  const { child: migration } = launch(['tools/migrate/main.ts'], { ...urls, DATABASE_ADMIN_URL: adminUrl.href });
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
    DATA_DIR: dataFolder,
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
      const { child, terminate } = launch([`services/${service}/src/main.ts`], env);
      let said = '';
      child.stdout?.on('data', (chunk) => (said += chunk));
      return { service, env, child, terminate, said: () => said };
    });
  parts.defer(() => {
    for (const { child } of processes) child.kill('SIGKILL');
  });
  for (const { service, env, child, said } of processes) {
    const deadline = Date.now() + 60_000;
    while ((await once(launch(['deploy/healthcheck.mjs'], env).child, 'exit'))[0] !== 0) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${service} is not ready:\n${said()}`);
      await sleep(200);
    }
    console.log(`  ${service} is ready`);
  }
  const answer = await fetch(`http://127.0.0.1:${port('gateway', 0)}/.well-known/jwks.json`);
  if (answer.status !== 200) throw new Error(`JWKS answered ${answer.status}`);
  for (const { service, child, terminate } of processes) {
    terminate();
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    if (code !== 0) throw new Error(`${service} ended with exit code ${code}`);
  }
}
