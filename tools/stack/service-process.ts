import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../services.ts';
import { type Environment, systemEnvironment } from './environment.ts';
import { serviceScript } from './repository.ts';

export interface ProcessOptions {
  /** `rbac`, or `rbac-2` for a further replica. */
  readonly name: string;
  readonly service: Service;
  readonly env: Environment;
  readonly logFile: string;
  /** The address of `/ready`: `http://host:port` or `unix:/path`. */
  readonly url: string;
  /** How many processes start at the same time, this one too. */
  readonly startsWith?: number;
  /** Called when the process ends unexpectedly after it was ready; `start` restarts it. */
  readonly died: (process: ServiceProcess, reason: string) => void;
}

const preload = new URL('preload.ts', import.meta.url).href;
const fewReadyWithinMs = 60_000;
/** Processes that start at once share the cores: forty need longer than five. */
const eachReadyWithinMs = 4_000;
const stopTimeoutMs = 12_000;

/** One process of a service, which can be killed and started again. */
export class ServiceProcess {
  readonly name: string;
  readonly service: Service;
  readonly url: string;
  readonly logFile: string;
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #wasReady = false;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.service = options.service;
    this.url = options.url;
    this.logFile = options.logFile;
    this.#options = options;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts it with optional further variables and waits until it is ready. A process that does not
   * get ready is ended.
   */
  async start(extra: Environment = {}, signal?: AbortSignal): Promise<void> {
    this.#spawn(extra);
    try {
      await this.#untilReady(signal);
    } catch (error) {
      await this.kill();
      throw error;
    }
    this.#wasReady = true;
  }

  /** Sends a signal and waits for the end; by default at once and without mercy. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined; // from here on its end is no surprise
    child?.ref();
    child?.kill(signal);
    await this.#exited;
  }

  async restart(extra: Environment = {}): Promise<void> {
    await this.stop();
    await this.start(extra);
  }

  /** Lets it drain, and ends it hard when it does not. */
  async stop(): Promise<void> {
    const child = this.#child;
    const timer = setTimeout(() => child?.kill('SIGKILL'), stopTimeoutMs);
    await this.kill('SIGTERM');
    clearTimeout(timer);
  }

  #spawn(extra: Environment): void {
    for (const listen of [this.#options.env.HTTP_LISTEN, this.#options.env.GRPC_LISTEN]) {
      if (listen?.startsWith('unix:')) rmSync(listen.slice('unix:'.length), { force: true }); // a killed process leaves its sockets behind
    }
    const log = openSync(this.logFile, 'a', 0o600);
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `--import=${preload}`, serviceScript(this.service, 'main.ts')],
      {
        env: { ...systemEnvironment(), ...this.#options.env, ...extra, TESSERA_PARENT_PID: String(process.pid) },
        stdio: ['ignore', log, log],
        detached: true, // Ctrl-C reaches only the launcher, which stops everything in order
      },
    );
    closeSync(log);
    child.unref(); // a test process may end although the stack runs; waiting for a process references it again
    this.#child = child;
    this.#wasReady = false;
    this.#exited = new Promise((done) => {
      child.once('exit', (code, signal) => {
        done();
        if (this.#child !== child) return;
        this.#child = undefined;
        if (this.#wasReady) this.#options.died(this, signal ?? `exit code ${code}`);
      });
      child.once('error', () => done());
    });
  }

  async #untilReady(signal?: AbortSignal): Promise<void> {
    const readyTimeoutMs = Math.max(fewReadyWithinMs, eachReadyWithinMs * (this.#options.startsWith ?? 1));
    const deadline = Date.now() + readyTimeoutMs;
    const child = this.#child;
    while (Date.now() < deadline) {
      signal?.throwIfAborted();
      if (this.#child !== child || child === undefined) throw new Error(`${this.name} ended before it was ready:\n${this.lastLines()}`);
      if (await answersReady(this.url)) return;
      await sleep(25);
    }
    throw new Error(`${this.name} was not ready after ${readyTimeoutMs / 1000} s:\n${this.lastLines()}`);
  }

  /** The end of its log, for people. */
  lastLines(count = 15): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-count).map(readable).join('\n');
  }
}

/** A log line without its fields: the message, and that of the error without its stack. */
function readable(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((part) => part !== undefined).join(': ');
  } catch {
    return line; // what Node itself writes
  }
}

/** Whether the process at this address says at `/ready` that it can work. */
export function answersReady(url: string): Promise<boolean> {
  const door = url.startsWith('unix:')
    ? { socketPath: url.slice('unix:'.length) }
    : { host: new URL(url).hostname, port: new URL(url).port };
  return new Promise((done) => {
    const asked = request({ ...door, path: '/ready', agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    asked.on('error', () => done(false));
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
}
