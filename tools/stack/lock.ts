import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Holder {
  readonly pid: number;
  /** When that process began: a process id alone may have been given to another since. */
  readonly began: string;
}

/**
 * Locks the data folder for this process, or throws when a running process has it. Returns the
 * unlock function.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'launcher.json');
  const holder = readHolder(file);
  if (holder !== undefined && holder.began !== '' && beganOf(holder.pid) === holder.began) {
    throw new Error(`Another stack runs in ${folder} (process ${holder.pid}). Stop it, or give this one a DATA_DIR of its own`);
  }
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ pid: process.pid, began: beganOf(process.pid) } satisfies Holder), { flag: 'wx', mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined; // none, or one cut off by a crash
  }
}

/** Empty when there is no such process. A zombie (state Z) counts as ended. */
function beganOf(pid: number): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  const [state = 'Z', ...began] = (spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8', env }).stdout ?? '')
    .trim()
    .split(/\s+/);
  return state.startsWith('Z') ? '' : began.join(' ');
}
