/**
 * What one run of Jest starts: Postgres, Redis, the shared stack, the folder for evidence. With
 * TEST_DATABASE_POOLER=transaction the services of the shared stack share 20 connections.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../tools/postgres/server.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import { buildWeb } from '../../tools/start/web.ts';
import { openDns, recordsIn } from '../support/dns.ts';
import { type Engine, engines, isInstalled, startEngine } from '../support/engines.ts';
import { fakeCredentials, providerVariables, startFakeProvider } from '../support/fake-provider/provider.ts';
import { behindPooler } from '../support/pooler.ts';
import { startTestStack, writeStackFile } from '../support/stack.ts';
import { openEvidence } from './evidence-folder.ts';

interface Run {
  /** The folder that the secret search reads when everything has stopped. */
  readonly evidenceFolder: string;
  /** What went wrong outside the tests. */
  readonly faults: string[];
  /** Engines and the shared stack. They write their last evidence when they stop. */
  readonly parts: AsyncDisposableStack;
  readonly evidence: AsyncDisposable;
  sharedStack?: Promise<void>;
}

const stopTimeoutMs = 240_000;
const variables = ['TEST_EVIDENCE', 'TEST_OTLP_ENDPOINT', 'TEST_DATABASE_ADMIN_URL', 'TEST_REDIS_URL', 'TEST_STACK_FILE'];

let current: Promise<Run> | undefined;

/** Starts what all tests need, once for each run, and names it in TEST_ variables. */
export function openRun(): Promise<Run> {
  current ??= start();
  return current;
}

/** Starts the stack and the provider that system and browser tests share, once for each run. */
export async function openSharedStack(): Promise<void> {
  const run = await openRun();
  run.sharedStack ??= startSharedStack(run);
  try {
    await run.sharedStack;
  } catch (error) {
    // Jest calls no tear-down when the set-up fails.
    await closeRun(() => []);
    throw error;
  }
}

/** Stops everything, lets `search` read the evidence, and returns all faults. */
export async function closeRun(search: (evidenceFolder: string) => readonly string[]): Promise<readonly string[] | undefined> {
  const run = await current;
  current = undefined;
  if (run === undefined) return undefined;
  const faults = [...run.faults];
  try {
    const stopped = run.parts.disposeAsync().then(() => true);
    if (!(await Promise.race([stopped, sleep(stopTimeoutMs, false, { ref: false })])))
      faults.push(`What was started for the tests has not stopped after ${stopTimeoutMs / 1_000} s.`);
    faults.push(...search(run.evidenceFolder));
  } catch (error) {
    faults.push(Error.isError(error) ? (error.stack ?? error.message) : String(error));
  } finally {
    await run.evidence[Symbol.asyncDispose]();
  }
  return faults;
}

async function start(): Promise<Run> {
  const given = new Map(variables.map((name) => [name, process.env[name]]));
  await using evidence = new AsyncDisposableStack();
  // The next run in watch mode starts its own.
  evidence.defer(() => {
    for (const [name, value] of given) if (value === undefined) delete process.env[name];
  });
  evidence.use(stopOnSignals());
  const { folder } = evidence.use(await openEvidence());
  await using parts = new AsyncDisposableStack();
  await Promise.all([startDatabase(parts), ...engines.map((engine) => startIfInstalled(engine, parts))]);
  return { evidenceFolder: folder, faults: [], parts: parts.move(), evidence: evidence.move() };
}

/** An interrupted run stops what it started and removes its files: they hold secrets. */
function stopOnSignals(): Disposable {
  const stop = async () => {
    await closeRun(() => []);
    console.error('Interrupted.');
    process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.removeListener(signal, stop);
    },
  };
}

async function startDatabase(parts: AsyncDisposableStack): Promise<void> {
  if (process.env.TEST_DATABASE_ADMIN_URL) return;
  const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-test-')), profile: 'fast', ephemeral: true });
  parts.defer(() => server.stop());
  process.env.TEST_DATABASE_ADMIN_URL = server.adminUrl;
}

async function startIfInstalled(engine: Engine, parts: AsyncDisposableStack): Promise<void> {
  if (process.env[engine.variable]) return;
  if (!isInstalled(engine)) {
    console.log(`!!! ${engine.program} is not installed: the tests against the real ${engine.protocol.toUpperCase()} are SKIPPED`);
    return;
  }
  const { url, stop } = await startEngine(engine);
  parts.defer(stop);
  process.env[engine.variable] = url;
}

/**
 * It may ask what lies on loopback, and a DNS server of the tests, so that few files need a stack
 * of their own: a start takes longer than most of them. A file that makes a connection for sign-ins
 * has its own, because the pages of the whole installation then ask for the address first.
 */
async function startSharedStack({ parts, faults }: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  parts.defer(() => rmSync(folder, { recursive: true }));
  const dns = await openDns(recordsIn(join(folder, 'dns')));
  parts.defer(() => dns.close());
  // The gateway looks for the pages when it starts.
  const [provider] = await Promise.all([startFakeProvider(fakeCredentials), buildWeb(() => undefined)]);
  parts.defer(() => provider.stop());
  const pooled = process.env.TEST_DATABASE_POOLER === 'transaction' ? await behindPooler(parts, 20) : undefined;
  const stack = await startTestStack({
    ...pooled,
    env: {
      ...providerVariables(provider.url),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DOMAINS_DNS_SERVERS: dns.server,
      GATEWAY_GRPC_LISTEN: `127.0.0.1:${await choosePort(0, '127.0.0.1')}`,
      ...pooled?.env,
    },
    died: ({ name }, reason) => faults.push(`${name} of the shared stack ended: ${reason}`),
  });
  parts.defer(() => stack.stop());
  process.env.TEST_STACK_FILE = join(folder, 'stack.json');
  writeStackFile(stack, process.env.TEST_STACK_FILE);
}
