import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort } from '../../tools/stack/ports.ts';

export interface Engine {
  readonly program: string;
  readonly variable: 'TEST_REDIS_URL';
  readonly protocol: 'redis';
  readonly args: (port: number, folder: string) => readonly string[];
}

export const engines: readonly Engine[] = [
  {
    program: 'redis-server',
    variable: 'TEST_REDIS_URL',
    protocol: 'redis',
    args: (port, folder) => ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no'],
  },
];

const startTimeoutMs = 10_000;

export function isInstalled({ program }: Pick<Engine, 'program'>) {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

/** Starts an engine of its own on a free port; answers with its URL and how to stop it. */
export async function startEngine(engine: Engine): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await choosePort(0, '127.0.0.1');
  const folder = mkdtempSync(join(tmpdir(), `tessera-${engine.protocol}-`));
  // The shell kills the engine when its standard input closes, also when this process is killed.
  // The engine's data is not needed.
  const script = '"$@" </dev/null >/dev/null 2>&1 & engine=$!; read -r _; kill -KILL "$engine"; wait "$engine"';
  const child = spawn('sh', ['-c', script, 'sh', engine.program, ...engine.args(port, folder)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const stop = async () => {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + startTimeoutMs;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`${engine.program} did not start within ${startTimeoutMs / 1000} s`);
    }
    await sleep(20);
  }
  return { url: `${engine.protocol}://127.0.0.1:${port}`, stop };
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}
