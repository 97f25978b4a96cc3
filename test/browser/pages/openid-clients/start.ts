/** Starts a foreign client of this folder as a program of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import type { AppCredentials } from '../../../support/browser/product.ts';

export type ForeignProgram = readonly [command: string, script: string, ...parameters: readonly string[]];

export function stopWith(cleanup: AsyncDisposableStack, child: ChildProcessByStdio<Writable | null, Readable | null, null>): void {
  cleanup.defer(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
}

/** It prints its address, reads what it knows of its provider, and says that it is ready. */
export async function startForeign(cleanup: AsyncDisposableStack, [command, script, ...parameters]: ForeignProgram) {
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(command, [path, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  stopWith(cleanup, child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const configure = async ({ issuer, clientId, clientSecret }: AppCredentials): Promise<void> => {
    child.stdin.write(`${JSON.stringify({ issuer, client_id: clientId, client_secret: clientSecret })}\n`);
    expect((await lines.next()).value).toBe('ready');
  };
  return { url, configure };
}
