import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemEnvironment } from './environment.ts';
import { choosePort } from './ports.ts';

const program = 'nats-server';
const startTimeoutMs = 10_000;
const restartAfterMs = 250;

export interface NatsOptions {
  /** A free one by default. */
  readonly port?: number;
  /** Lines of nats-server's configuration; by default clients need a random token. */
  readonly settings?: string;
  /** Called when the server ended by itself. It is started again. */
  readonly died?: () => void;
}

export interface NatsServer {
  /** With the token, unless `settings` were given. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The version of the installed nats-server; undefined when there is none. */
export function natsVersion(): string | undefined {
  return /v(\d\S*)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
}

/**
 * Starts a nats-server on the loopback address. It ends with this process, also when this process
 * is killed.
 */
export async function startNats({ port: wanted = 0, settings, died }: NatsOptions = {}): Promise<NatsServer> {
  const port = await choosePort(wanted, '127.0.0.1');
  const token = randomBytes(24).toString('base64url');
  const configuration = `listen: "127.0.0.1:${port}"\n${settings ?? `authorization { token: "${token}" }`}\n`;
  const state = { isStopping: false, child: launch(configuration), ended: Promise.resolve() };

  function watch(): void {
    state.ended = new Promise((resolve) => state.child.once('exit', () => resolve()));
    void state.ended.then(async () => {
      if (state.isStopping) return;
      died?.();
      await sleep(restartAfterMs, undefined, { ref: false });
      if (state.isStopping) return;
      state.child = launch(configuration);
      watch();
    });
  }
  async function stop(): Promise<void> {
    state.isStopping = true;
    state.child.ref();
    pipeOf(state.child)?.destroy();
    await state.ended;
  }

  watch();
  const deadline = Date.now() + startTimeoutMs;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`${program} did not start within ${startTimeoutMs / 1000} s`);
    }
    await sleep(10);
  }
  return { url: `nats://${settings === undefined ? `${token}@` : ''}127.0.0.1:${port}`, port, stop };
}

/**
 * Ends the server when file descriptor 3, a pipe from this process, closes; also when this process
 * is killed.
 */
const script = `
  trap '' INT TERM HUP
  folder=$1
  shift
  "$@" 3<&- &
  server=$!
  { read -r _ <&3; kill -KILL "$server"; } 2>/dev/null &
  reader=$!
  exec 3<&-
  wait "$server"
  kill -KILL "$reader" 2>/dev/null
  rm -rf "$folder"`;

/**
 * The configuration stands in a file that only this account can read: other accounts can see a
 * command line.
 */
function launch(configuration: string): ChildProcess {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, configuration, { mode: 0o600 });
  const child = spawn('sh', ['-c', script, 'tessera-nats', folder, program, '--config', file], {
    detached: true, // a Ctrl-C in the terminal must not stop it before the services that use it
    env: systemEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.unref();
  pipeOf(child)?.unref();
  return child;
}

function pipeOf(child: ChildProcess): Socket | undefined {
  // Of a pipe that Node made, which is a socket.
  return child.stdio[3] as Socket | undefined;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
