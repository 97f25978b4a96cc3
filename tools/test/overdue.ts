/** Ends the test files that do not end: Node limits how long a test takes, not how long its process lives on with what the test left open. */
import { spawnSync } from 'node:child_process';
import type { TestsStream } from 'node:test';

/** Tells `ended` of every file that it had to end, with all processes below it. Watches until it is disposed of. */
export function endOverdueFiles(stream: TestsStream, limitMs: number, ended: (file: string) => void): Disposable {
  const begun = new Map<string, number>();
  stream.on('test:dequeue', ({ name, file }) => name === file && begun.set(file, performance.now()));
  stream.on('test:complete', ({ name, file }) => name === file && begun.delete(file));
  const look = () => {
    for (const [file, beganAt] of begun) {
      if (performance.now() - beganAt < limitMs) continue;
      begun.delete(file);
      ended(file);
      endProcessOf(file);
    }
  };
  const timer = setInterval(look, Math.min(1_000, limitMs / 4));
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
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, command = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), ppid: Number(ppid), command }];
  });
}
