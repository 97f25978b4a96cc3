import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TICKS_PER_SECOND = 100;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // /proc is missing, or the process has ended
  }
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text.trim() !== '')
    .map(Number);
}

function tree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(tree)];
}

function ownCpuSeconds(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // With the children that have ended: an autovacuum worker that ends takes nothing back.
  return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS_PER_SECOND;
}

/** CPU seconds that a process and its children have used so far. */
export function cpuSeconds(pid: number): number {
  return tree(pid).reduce((sum, each) => sum + ownCpuSeconds(each), 0);
}

/** Resident memory of a process alone. */
export function memoryMebibytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
}

/** Process ids by the name under which a result shows them. */
export type Processes = Readonly<Record<string, number>>;

export type Floor = { readonly pid: number; readonly address: string } & AsyncDisposable;

/** Ends a process with the benchmark, however that ends; the stack's processes have it too. */
export const endWithParent = `--import=${new URL('../../../tools/stack/preload.ts', import.meta.url).href}`;

type LaunchOptions = { readonly detached?: boolean; readonly cwd?: string };

function launch(script: string, env: Readonly<Record<string, string>>, options: LaunchOptions = {}) {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', endWithParent, script], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
}

function floorScript(file: string): string {
  return fileURLToPath(new URL(`./floors/${file}`, import.meta.url));
}

/** Starts a floor as a process of its own; it prints its address when it listens. */
export function startFloor(file: string, env: Readonly<Record<string, string>> = {}): Promise<Floor> {
  return startProgram(floorScript(file), env);
}

/** Starts a script that prints its address when it listens. */
export async function startProgram(script: string, env: Readonly<Record<string, string>>, options: LaunchOptions = {}): Promise<Floor> {
  const child = launch(script, env, options);
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), exited.then(() => [''])]);
  if (String(line) === '') throw new Error(`${script} did not start`);
  return {
    pid: child.pid ?? 0,
    address: String(line).trim(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Runs a floor that measures itself for some seconds and prints its rate. */
export async function runFloor(file: string, seconds: number, env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = launch(floorScript(file), { ...env, SECONDS: String(seconds) }, { detached: true });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  const rate = Number(output.trim());
  if (!(rate > 0)) throw new Error(`the floor ${file} measured nothing`);
  return rate;
}
