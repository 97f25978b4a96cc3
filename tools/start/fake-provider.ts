import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../stack/environment.ts';
import { choosePort } from '../stack/ports.ts';
import { repositoryFolder } from '../stack/repository.ts';

export interface FakeProvider {
  readonly url: string;
  /** The CODEHOST_ variables that make the services use it. */
  readonly env: Environment;
  stop(): Promise<void>;
}

const preload = new URL('../stack/preload.ts', import.meta.url).href;

/** A local code-hosting provider, to try the OAuth flows without an account. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const script = join(repositoryFolder, 'test', 'support', 'fake-provider', 'main.ts');
  if (!existsSync(script)) throw new Error(`${script} is missing`);
  const port = await choosePort(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const credentials = { CODEHOST_CLIENT_ID: 'tessera-local', CODEHOST_CLIENT_SECRET: randomBytes(16).toString('hex') };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `--import=${preload}`, script], {
    env: { ...process.env, ...credentials, HOST: '127.0.0.1', PORT: String(port), TESSERA_PARENT_PID: String(process.pid) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const said = new Promise<void>((done) => child.stdout.once('data', () => done()));
  const first = await Promise.race([said.then(() => 'ready'), ended.then(() => 'ended')]);
  if (first === 'ended') throw new Error('The fake provider did not start');
  void text(child.stdout); // read on, so that it never waits for us
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const addresses = { CODEHOST_AUTHORIZE_URL: `${url}/authorize`, CODEHOST_TOKEN_URL: `${url}/token`, CODEHOST_API_URL: `${url}/api` };
  return { url, env: { ...credentials, ...addresses }, stop };
}
