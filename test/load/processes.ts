import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TICKS_PER_SECOND = 100;

/** CPU seconds that a process has used so far; 0 where /proc does not tell. */
export const cpuSeconds = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
};

export const memoryMebibytes = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};

export type Floor = { readonly pid: number; readonly address: string; stop(): Promise<void> };

/** Starts a floor as a process of its own; it prints its address when it listens. */
export const startFloor = async (file: string, env: Readonly<Record<string, string>> = {}): Promise<Floor> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`./floors/${file}`, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [line] = await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    address: String(line).trim(),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
};
