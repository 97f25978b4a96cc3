import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { serviceScript } from './repository.ts';
import { type DatabaseService, variablePrefix } from './services.ts';

/** Brings one service's schema up to date by the service's own script, as its own login. */
export async function migrate(service: DatabaseService, url: string): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', serviceScript(service, 'migrate.ts')], {
    env: { ...process.env, [`${variablePrefix(service)}_DATABASE_URL`]: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`The migrations of ${service} failed (exit code ${code}):\n${output}${errors}`);
}
