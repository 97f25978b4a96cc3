/** The stack of the system tests: the one that `npm test` started, or a new one. */
import { dirname, join } from 'node:path';
import type { StackOptions } from '../../tools/stack/stack.ts';
import { type Records, recordsIn } from './dns.ts';
import { describeStack, type SharedStack, sharedStack, startTestStack } from './stack.ts';

export type SystemStack = ReturnType<typeof view>;

/** The stack shared by all system tests: they must not assume that they are alone. */
export async function openStack(): Promise<SystemStack> {
  return view(await sharedStack());
}

/**
 * What the DNS server of the shared stack shows. A name belongs to one file of tests: a domain that
 * an organization has proven is no other's.
 */
export function sharedDns(): Records {
  const file = process.env.TEST_STACK_FILE;
  if (file === undefined) throw new Error('No stack is shared: only the set-up of system tests starts one.');
  return recordsIn(join(dirname(file), 'dns'));
}

/** A stack that a test may break: kill its processes, stop its stores. */
export async function startOwnStack(options: Partial<StackOptions> = {}) {
  const stack = await startTestStack(options);
  return { ...view(describeStack(stack)), stack, close: stack.stop };
}

function view({ url, dataDir, adminDatabaseUrl, env, doors }: SharedStack) {
  return {
    url,
    dataDir,
    adminDatabaseUrl: adminDatabaseUrl ?? '',
    internalAuthSecret: env.gateway.INTERNAL_AUTH_SECRET ?? '',
    /** Of the gateway, where decisions are asked for over gRPC. */
    gatewayGrpcUrl: env.gateway.GATEWAY_GRPC_LISTEN ?? '',
    grpcUrls: { identity: doors.identity.grpcUrl, tenancy: doors.tenancy.grpcUrl, rbac: doors.rbac.grpcUrl, keys: doors.keys.grpcUrl },
    httpUrls: { identity: doors.identity.httpUrl, tenancy: doors.tenancy.httpUrl, rbac: doors.rbac.httpUrl, keys: doors.keys.httpUrl },
  };
}
