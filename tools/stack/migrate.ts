import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseService, variablePrefix } from '../services.ts';
import { serviceScript } from './repository.ts';

const mostAttempts = 30;
const pauseMs = 500;
/** Traffic had the lock: nothing was changed, and the set can run again. */
const lostToTraffic = /\bcode: '(?:40P01|55P03)'/;

/**
 * Brings one service's schema up to date by the service's own script, as its own login. While the
 * services serve, it gives way to them and tries again.
 */
export async function migrate(service: DatabaseService, url: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fault = await attemptTo(service, url);
    if (fault === undefined) return;
    if (attempt === mostAttempts || !lostToTraffic.test(fault)) throw new Error(fault);
    await sleep(pauseMs);
  }
}

/** What went wrong, if anything. */
async function attemptTo(service: DatabaseService, url: string): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', serviceScript(service, 'migrate.ts')], {
    env: { ...process.env, [`${variablePrefix(service)}_DATABASE_URL`]: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return code === 0 ? undefined : `The migrations of ${service} failed (exit code ${code}):\n${output}${errors}`;
}
