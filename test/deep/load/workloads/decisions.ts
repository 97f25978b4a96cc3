import { connect, createBatcher, type GrpcClient } from '@tessera/kernel/grpc';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { countStatements } from '../../../support/statements.ts';
import type { Bench } from '../bench.ts';
import type { Shot } from '../drive.ts';
import { startFloor } from '../processes.ts';
import { race } from '../race.ts';
import type { Result } from '../report.ts';
import { createHolder, type Holder } from '../rights.ts';
import { compare, type Workload } from '../workload.ts';

type Client = GrpcClient<'rbac.v1.Authorization'>;

function connectTo({ stack }: Bench, url: string): Client {
  return connect({ service: 'rbac.v1.Authorization', url, secret: stack.env('gateway').INTERNAL_AUTH_SECRET ?? '', self: 'identity' });
}

/** The next of a subject's questions: its actions in turn. */
function questions({ tenant }: Bench, { userId, resource, actions }: Holder, more: Partial<wire.Check> = {}): () => wire.Check {
  const scope = { tenant: 'organizationProject', id: `${tenant.organizationId}:${tenant.projectId}` };
  const subject = { type: 'session', userId, tokenId: userId, scopes: [] };
  const checks = actions.map((action): wire.Check => ({ subject, scope, resource, action, targetJson: '', noCache: false, ...more }));
  let turn = 0;
  return () => {
    turn = (turn + 1) % checks.length;
    return checks[turn] as wire.Check;
  };
}

function assertGranted({ authorized, reason }: wire.Decision): void {
  if (!authorized) throw new Error(reason);
}

function unary(client: Client, next: () => wire.Check): Shot {
  return async () => assertGranted(await client.isAuthorized(next()));
}

/** As services call rbac: the checks of one tick form a batch. */
function batched(client: Client, next: () => wire.Check): Shot {
  const ask = createBatcher<wire.Check, wire.Decision>({
    maxSize: 1_000,
    run: async (checks) => (await client.isAuthorizedMany({ checks, explain: false })).decisions,
  });
  return async () => assertGranted(await ask(next()));
}

export const decisions: Workload = {
  name: 'decisions',
  about: 'IsAuthorized over gRPC from one client process, warm, against a bare grpc-js echo of the same messages',
  run: async (bench) => {
    const small = await createHolder(bench, { roles: 1, groups: 1, permissions: 1 });
    await using echo = await startFloor('grpc-echo.ts');
    const clients = { rbac: connectTo(bench, bench.stack.doors('rbac').grpcUrl), echo: connectTo(bench, echo.address) };
    const side = (name: 'rbac' | 'echo', shotOf: (client: Client, next: () => wire.Check) => Shot, concurrency: number) => ({
      name: name === 'rbac' ? name : 'bare grpc-js echo',
      shot: shotOf(clients[name], questions(bench, small)),
      concurrency,
      processes: name === 'rbac' ? bench.processes('rbac') : { echo: echo.pid },
    });
    try {
      const one = await compare(bench.pace, {
        workload: 'gRPC decision, unary',
        measured: side('rbac', unary, 64),
        floor: side('echo', unary, 64),
        promise: { atLeast: 0.8 },
        latency: { atMost: 2 },
        note: 'warm; the same client, metadata and concurrency (64) on both sides',
      });
      const many = await compare(bench.pace, {
        workload: 'gRPC decision, batched',
        measured: side('rbac', batched, 512),
        floor: side('echo', batched, 512),
        promise: { atLeast: 0.5 },
        note: 'warm; 512 callers share one batching client on both sides',
      });
      return [...one, ...many, await sizeMatters(bench, clients.rbac, small), ...(await coldQueries(bench, clients.rbac))];
    } finally {
      for (const client of Object.values(clients)) client.close();
    }
  },
};

async function sizeMatters(bench: Bench, client: Client, small: Holder): Promise<Result> {
  const large = await createHolder(bench, { roles: 50, groups: 500, permissions: 5_000 });
  const side = (name: string, holder: Holder) => ({
    name,
    shot: batched(client, questions(bench, holder)),
    concurrency: 512,
    processes: bench.processes('rbac'),
  });
  const [few, many] = await race([side('small', small), side('large', large)], bench.pace);
  if (few === undefined || many === undefined) throw new Error('a race has no result');
  return {
    workload: 'gRPC decision, 50 roles, 500 groups, 5,000 permissions',
    unit: 'a second',
    measured: many.perSecond,
    floor: { name: 'a subject with one of each', measured: few.perSecond },
    ratio: few.perSecond / many.perSecond,
    promise: { atMost: 2 },
    cpuMsPerRequest: many.cpuMsPerRequest,
    failures: few.failures + many.failures,
    note: 'warm, batched; the ratio is of costs',
  };
}

/** With cold caches on both sides: the statements of rbac and of the services that it calls. */
async function coldQueries(bench: Bench, client: Client): Promise<readonly Result[]> {
  const metadata = { StringEquals: { 'user.metadata.team': 'none' } };
  const cases = [
    { name: 'cold decision', holder: await createHolder(bench, { roles: 3, groups: 5, permissions: 20 }) },
    {
      name: 'cold decision that reads user metadata',
      holder: await createHolder(bench, { roles: 3, groups: 5, permissions: 20, condition: metadata }),
    },
  ];
  const asked = 20;
  const results: Result[] = [];
  for (const { name, holder } of cases) {
    const next = questions(bench, holder, { noCache: true });
    const { queries } = await countStatements(bench.stack, async () => {
      for (let count = 0; count < asked; count += 1) await client.isAuthorized(next());
    });
    results.push({
      workload: name,
      unit: 'queries',
      measured: queries / asked,
      promise: { atMost: 2 },
      failures: 0,
      note: 'statements that Postgres logged, all services',
    });
  }
  return results;
}
