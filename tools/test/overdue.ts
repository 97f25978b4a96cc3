/** Ends the test files that do not end: Node limits how long a test takes, not how long its process lives on with what the test left open. */
import { spawnSync } from 'node:child_process';
import type { TestsStream } from 'node:test';

type Watched = {
  readonly stream: TestsStream;
  readonly limitMs: number;
  /** Told of every file that had to be ended, with all processes below it. */
  readonly ended: (file: string) => void;
  /** Told when that does not help: nothing else is under way any more, and a process that a file has left behind still holds its output. */
  readonly stuck: () => void;
};

/** Watches until it is disposed of. */
export function endOverdueFiles({ stream, limitMs, ended, stuck }: Watched): Disposable {
  const begun = new Map<string, number>();
  const over = new Set<string>();
  stream.on('test:dequeue', ({ name, file }) => name === file && begun.set(file, performance.now()));
  stream.on('test:complete', ({ name, file }) => name === file && begun.delete(file));
  const look = () => {
    const now = performance.now();
    for (const [file, beganAt] of begun) {
      if (now - beganAt < limitMs || over.has(file)) continue;
      over.add(file);
      ended(file);
      endProcessOf(file);
    }
    if (begun.size === 0 || [...begun.values()].some((beganAt) => now - beganAt < 1.25 * limitMs)) return;
    clearInterval(timer);
    stuck();
  };
  const timer = setInterval(look, Math.min(1_000, limitMs / 8));
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Node runs each file in a process of its own, with the file's path as the last argument. */
function endProcessOf(file: string): void {
  const running = listProcesses();
  const below = (parent: number): number[] => running.filter(({ ppid }) => ppid === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  const own = running.filter(({ ppid, command }) => ppid === process.pid && command.endsWith(` ${file}`));
  for (const pid of own.flatMap(({ pid }) => [pid, ...below(pid)])) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function listProcesses(): readonly { readonly pid: number; readonly ppid: number; readonly command: string }[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, ppid, command = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), ppid: Number(ppid), command }];
  });
}
