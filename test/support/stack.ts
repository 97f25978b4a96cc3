import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseService, type Service, services } from '../../tools/services.ts';
import type { Doors, Environment } from '../../tools/stack/environment.ts';
import { type Stack, type StackOptions, startStack } from '../../tools/stack/stack.ts';
import { keepsEvidence } from './evidence.ts';
import { keepDatabase, keepFiles, listenToNotices } from './stack-evidence.ts';

/** What a test may know of the stack that it shares with others. */
export interface SharedStack {
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrls: { readonly [service in DatabaseService]: string };
  readonly adminDatabaseUrl: string | undefined;
  /** The environment of each service, including secrets. */
  readonly env: { readonly [service in Service]: Environment };
  readonly doors: { readonly [service in DatabaseService]: Doors };
}

/** Cheap passwords, metrics on; no limits, for whose tests there are stacks of their own. */
function testEnvironment(): Environment {
  return {
    NODE_ENV: 'test',
    TOKEN_BCRYPT_ROUNDS: '4',
    SECURITY_ENABLE_RATE_LIMIT: 'false',
    QUOTA_INVITATIONS: '0',
    QUOTA_INVITATIONS_PER_ADDRESS: '0',
    METRICS_ENABLED: 'true',
    // No server is there: a domain has no record, unless a test has a server of its own.
    DOMAINS_DNS_SERVERS: '127.0.0.1:1',
    ...(process.env.TEST_OTLP_ENDPOINT ? { OTEL_EXPORTER_OTLP_ENDPOINT: process.env.TEST_OTLP_ENDPOINT } : {}),
  };
}

/** A stack of the caller's own in a new folder, for tests that kill, limit or reconfigure. */
export async function startTestStack(options: Partial<StackOptions> = {}): Promise<Stack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  if (keepsEvidence()) parts.defer(() => keepFiles(dataDir));
  const stack = parts.use(await startStack({ dataDir, profile: 'fast', ...options, env: { ...testEnvironment(), ...options.env } }));
  if (keepsEvidence() && stack.adminDatabaseUrl !== undefined) {
    parts.use(await listenToNotices(stack.adminDatabaseUrl));
    parts.defer(() => keepDatabase(describeStack(stack)));
  }
  const owned = parts.move();
  const stop = () => owned.disposeAsync();
  return { ...stack, stop, [Symbol.asyncDispose]: stop };
}

/** The stack that the set-up of the run started for all. */
export async function sharedStack(): Promise<SharedStack> {
  const file = process.env.TEST_STACK_FILE;
  if (file === undefined) throw new Error('No stack is shared: only the set-up of system tests starts one.');
  return JSON.parse(readFileSync(file, 'utf8')) as SharedStack;
}

/** Writes what `sharedStack` reads, for the owner's eyes only. */
export function writeStackFile(stack: Stack, file: string): void {
  writeFileSync(file, JSON.stringify(describeStack(stack)), { mode: 0o600 });
}

/** The same view of a stack of one's own. */
export function describeStack(stack: Stack): SharedStack {
  return {
    url: stack.url,
    dataDir: stack.dataDir,
    databaseUrls: stack.databaseUrls,
    adminDatabaseUrl: stack.adminDatabaseUrl,
    env: Object.fromEntries(services.map((service) => [service, stack.env(service)])) as SharedStack['env'],
    doors: { identity: stack.doors('identity'), tenancy: stack.doors('tenancy'), rbac: stack.doors('rbac'), keys: stack.doors('keys') },
  };
}
