import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DatabaseService, databaseServices, variablePrefix } from '../services.ts';
import { serviceScript } from './repository.ts';

export type DatabaseUrls = { readonly [service in DatabaseService]?: string };

const mostAttempts = 30;
const pauseMs = 500;
/** Traffic had the lock: nothing was changed, and the set can run again. */
const lostToTraffic = /\bcode: '(?:40P01|55P03)'/;
const runner = fileURLToPath(new URL('migrations.ts', import.meta.url));

/**
 * Brings the schemas of these services up to date, each by the service's own script and as its own
 * login, in one process: most of its time is the loading of what the scripts share. While the
 * services serve, it gives way to them and tries again.
 */
export async function migrate(urls: DatabaseUrls): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fault = await attemptTo(urls);
    if (fault === undefined) return;
    if (attempt === mostAttempts || !lostToTraffic.test(fault)) throw new Error(fault);
    await sleep(pauseMs);
  }
}

/** What went wrong, if anything. */
async function attemptTo(urls: DatabaseUrls): Promise<string | undefined> {
  const services = databaseServices.filter((service) => urls[service] !== undefined);
  const variables = services.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, urls[service]]);
  const scripts = services.map((service) => serviceScript(service, 'migrate.ts'));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', runner, ...scripts], {
    env: { ...process.env, ...Object.fromEntries(variables) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return code === 0 ? undefined : `The migrations of ${services.join(', ')} failed (exit code ${code}):\n${output}${errors}`;
}
