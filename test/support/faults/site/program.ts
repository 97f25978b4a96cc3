/** A real engine of its own, which a test may kill and freeze. It ends with the test's process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Account, programEnvironment } from '../../../../tools/postgres/account.ts';
import { until } from '../../until.ts';

export type ProgramOptions = {
  readonly command: readonly string[];
  readonly isReady: () => boolean | Promise<boolean>;
  readonly account?: Account;
  /** Sent by `stop`. */
  readonly stopSignal?: NodeJS.Signals;
};

export class Program implements AsyncDisposable {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  static async started(options: ProgramOptions): Promise<Program> {
    const program = new Program(options);
    await program.start();
    return program;
  }

  /** Of the engine itself. */
  get pid(): number {
    const { pid } = this.#child ?? {};
    if (pid === undefined) throw new Error(`${this.#options.command[0]} does not run`);
    return pid;
  }

  /** The kernel ends it when this process is gone, also when this one is killed. */
  async start(): Promise<void> {
    const { command, account, isReady } = this.#options;
    const child = spawn('setpriv', ['--pdeathsig', 'INT', ...command], {
      ...account,
      cwd: '/',
      env: programEnvironment(),
      stdio: 'ignore',
    });
    this.#child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended with exit code ${child.exitCode}`);
      return isReady();
    }, 30_000);
  }

  /** At once, with all its processes. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL', family(this.pid));
  }

  async stop(): Promise<void> {
    if (this.#child === undefined) return;
    this.thaw();
    await this.#end(this.#options.stopSignal ?? 'SIGTERM', [this.pid]);
  }

  /** Its processes stand still; connections stay open. */
  freeze(): void {
    // Twice: the first may start another one before it stands still.
    for (const pid of [...family(this.pid), ...family(this.pid)]) send(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of family(this.pid).toReversed()) send(pid, 'SIGCONT');
  }

  async #end(signal: NodeJS.Signals, pids: readonly number[]): Promise<void> {
    const child = this.#child;
    const hasEnded = child === undefined || child.exitCode !== null || child.signalCode !== null;
    const ended = hasEnded ? undefined : once(child, 'exit');
    for (const pid of pids) send(pid, signal);
    await ended;
    this.#child = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function family(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return [pid, ...children.flatMap((child) => family(Number(child)))];
  } catch {
    return [pid]; // it has ended
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}
