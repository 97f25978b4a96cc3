import { parseArgs } from 'node:util';
import { type Stack, startStack } from '../stack/stack.ts';
import { startFakeProvider } from './fake-provider.ts';
import { openNotices } from './notices.ts';
import { readOptions } from './options.ts';
import { say, sayReady, sayStep } from './report.ts';
import { superviser } from './supervise.ts';
import { buildWeb } from './web.ts';

const impatientAfterMs = 2_000;
const stopping = new AbortController();

try {
  const { values: flags } = parseArgs({ options: { 'with-fake-provider': { type: 'boolean', default: false } } });
  onSignal(() => stopping.abort());
  await run(flags['with-fake-provider']);
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(`\nTessera did not start: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

async function run(withFakeProvider: boolean): Promise<void> {
  const options = readOptions(process.env);
  console.log(`Starting Tessera (data in ${options.dataDir})`);
  await buildWeb(console.log);
  await using parts = new AsyncDisposableStack();
  const provider = withFakeProvider ? await startFakeProvider() : undefined;
  if (provider !== undefined) parts.defer(() => provider.stop());
  const notices = await openNotices(options.env, say);
  parts.defer(() => notices.stop());
  const stack = await startStack({
    ...options,
    env: { ...options.env, ...provider?.env, ...notices.env },
    died: superviser(say, stopping.signal),
    step: sayStep,
    signal: stopping.signal,
  });
  parts.defer(() => stop(stack));
  // Cookies and passkeys belong to the address that is configured.
  sayReady(stack, options.env['APP_URL'] ?? stack.url, notices.carrier, provider?.url);
  await untilStopped();
}

function untilStopped(): Promise<void> {
  const keepAlive = setInterval(() => {}, 60_000);
  return new Promise((done) => {
    stopping.signal.addEventListener('abort', () => done(clearInterval(keepAlive)), { once: true });
  });
}

async function stop(stack: Stack): Promise<void> {
  const began = performance.now();
  console.log('\nStopping …');
  await stack.stop();
  console.log(`Stopped after ${((performance.now() - began) / 1000).toFixed(2)} s`);
}

/**
 * The first signal stops everything in order; a second one ends the launcher at once, and its
 * children follow.
 */
function onSignal(react: () => void): void {
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first !== undefined && performance.now() - first > impatientAfterMs) process.exit(130);
      first ??= performance.now();
      react();
    });
  }
}
