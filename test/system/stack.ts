/** The stack that system tests talk to: the one that `npm test` started, or, for a file run by itself, one of its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StackOptions, startStack } from '../../tools/stack/stack.ts';

export type SystemStack = {
  readonly url: string;
  readonly dataDir: string;
  readonly adminDatabaseUrl: string;
  readonly internalAuthSecret: string;
  readonly grpcUrls: Readonly<Record<'identity' | 'tenancy' | 'rbac' | 'keys', string>>;
  close(): Promise<void>;
};

/** The stack shared by all system tests: they must not stop it, nor assume that they are alone. */
export const openStack = async (): Promise<SystemStack> => {
  const shared = process.env.TEST_STACK_FILE;
  if (shared === undefined || shared === '') return startOwnStack();
  return { ...JSON.parse(readFileSync(shared, 'utf8')), close: async () => undefined };
};

/** A stack that a test may break: kill its processes, stop its stores. */
export const startOwnStack = async (
  options: Partial<StackOptions> = {},
): Promise<SystemStack & { readonly stack: Awaited<ReturnType<typeof startStack>> }> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-stack-'));
  const stack = await startStack({ dataDir, profile: 'fast', ...options });
  const env = stack.env('gateway');
  return {
    stack,
    url: stack.url,
    dataDir,
    adminDatabaseUrl: stack.adminDatabaseUrl ?? '',
    internalAuthSecret: env.INTERNAL_AUTH_SECRET ?? '',
    grpcUrls: {
      identity: env.IDENTITY_GRPC_URL ?? '',
      tenancy: env.TENANCY_GRPC_URL ?? '',
      rbac: env.RBAC_GRPC_URL ?? '',
      keys: env.KEYS_GRPC_URL ?? '',
    },
    close: async () => {
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
