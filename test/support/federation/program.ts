/** A foreign program, in a folder of its own, until the test ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs, until } from '../until.ts';

export function openFolder(cleanup: AsyncDisposableStack, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tessera-${name}-`));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Program = {
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Answered with 200 once it is ready. */
  readonly probe: string;
};

export async function startProgram(cleanup: AsyncDisposableStack, { command, folder, env = {}, probe }: Program): Promise<void> {
  const [file, ...parameters] = command;
  const log = join(folder, 'output.log');
  const output = openSync(log, 'a');
  const child = spawn(file, parameters, { cwd: folder, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', output, output] });
  closeSync(output);
  cleanup.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  const isReady = () =>
    fetch(probe).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, 2 * patienceMs).catch((error: unknown) => {
    throw new Error(`${file} is not ready: ${readFileSync(log, 'utf8').slice(-2_000)}`, { cause: error });
  });
}
