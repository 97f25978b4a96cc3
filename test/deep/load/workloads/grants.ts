import { connect } from '@tessera/kernel/grpc';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { inScope } from '../../../support/client.ts';
import { data } from '../../../support/load/tenant.ts';
import type { Bench } from '../bench.ts';
import { addCustomers, type Customer } from '../customers.ts';
import { percentile } from '../drive.ts';
import { cpuSeconds, memoryMebibytes } from '../processes.ts';
import type { Result } from '../report.ts';
import { observe, type Workload } from '../workload.ts';

const sizes = [10, 1_000, 10_000];
const asked = 500;
const perCall = 1_000;

export const grants: Workload = {
  name: 'grants',
  about: 'a project that 10, 1,000 and 10,000 organizations use: a decision, the list, one change of a role, memory',
  isLeisurely: true,
  run: async (bench) => {
    const client = connect({
      service: 'rbac.v1.Authorization',
      url: bench.stack.doors('rbac').grpcUrl,
      secret: bench.stack.env('gateway').INTERNAL_AUTH_SECRET ?? '',
      self: 'identity',
    });
    const product = await createProduct(bench);
    const customers: Customer[] = [];
    const results: Result[] = [];
    try {
      for (const size of sizes) {
        customers.push(...(await addCustomers(bench, product.roleId, size - customers.length)));
        const name = `${size.toLocaleString('en')} grants`;
        results.push(
          ...(await decisions(bench, client, customers, name)),
          ...(await lists(bench, name)),
          ...(await change(bench, client, customers, { ...product, name })),
        );
      }
      return results;
    } finally {
      client.close();
    }
  },
};

type Client = ReturnType<typeof connect<'rbac.v1.Authorization'>>;
type Product = { readonly roleId: string; readonly groupId: string; readonly readId: string; readonly writeId: string };

async function createProduct({ tenant }: Bench): Promise<Product> {
  const { client, owner, organizationId, projectId } = tenant;
  const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const make = async (path: string, body: object) => data(await client.post(`/api/${path}`, { scope, ...body }, owner.token));
  const { permissions } = await make('resources', {
    name: 'Granted',
    slug: 'granted',
    actions: ['Read', 'Write'],
    createPermissions: true,
  });
  const idOf = (action: string): string => permissions.find((each: { action: string }) => each.action === action).id;
  const [readId, writeId] = [idOf('Read'), idOf('Write')];
  const groupId = (await make('groups', { name: 'granted', permissionIds: [readId] })).id;
  const roleId = (await make('roles', { name: 'granted', groupIds: [groupId] })).id;
  return { roleId, groupId, readId, writeId };
}

function checkOf({ scopeId, userId }: Customer, action: string, noCache = false): wire.Check {
  const subject = { type: 'session', userId, tokenId: userId, scopes: [] };
  return { subject, scope: { tenant: 'organizationProject', id: scopeId }, resource: 'granted', action, targetJson: '', noCache };
}

/** Every check is about another customer: 500 of them in turn, of as many as there are. */
async function decisions(bench: Bench, client: Client, customers: readonly Customer[], name: string): Promise<readonly Result[]> {
  const step = Math.max(1, Math.floor(customers.length / asked));
  const some = customers.filter((_, index) => index % step === 0).slice(0, asked);
  const results: Result[] = [];
  for (const noCache of [false, true]) {
    const checks = some.map((customer) => checkOf(customer, 'Read', noCache));
    let turn = 0;
    const shot = async () => {
      turn += 1;
      const { authorized, reason } = await client.isAuthorized(checks[turn % checks.length] as wire.Check);
      if (!authorized) throw new Error(reason);
    };
    const workload = `decision in one of ${name}, ${noCache ? 'cold' : 'warm'}`;
    results.push(
      await observe(bench.pace, workload, { name: workload, shot, concurrency: 32, processes: bench.processes('rbac', 'postgres') }),
    );
  }
  return results;
}

async function lists({ tenant, isQuick }: Bench, name: string): Promise<readonly Result[]> {
  const { client, owner, organizationId, projectId } = tenant;
  const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const results: Result[] = [];
  for (const [what, more] of [
    ['first page', 'limit=50'],
    ['first page of the active ones', 'status=active&limit=50'],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < (isQuick ? 10 : 40); round += 1) {
      const startedAt = performance.now();
      const { items } = data(await client.get(`/api/project-grants?${inScope(scope, more)}`, owner.token));
      times.push(performance.now() - startedAt);
      if (items.length === 0) throw new Error('no grants');
    }
    const sorted = times.slice(5).toSorted((a, b) => a - b);
    results.push({
      workload: `list of ${name}, ${what}`,
      unit: 'ms p50',
      measured: percentile(sorted, 0.5),
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      failures: 0,
      note: 'one after the other, with names, roles and counts of members',
    });
  }
  return results;
}

type Change = Product & { readonly name: string };

/** The owner adds a permission to a group; then every customer's person is asked about in turn. */
async function change(bench: Bench, client: Client, customers: readonly Customer[], { groupId, readId, writeId, name }: Change) {
  const { tenant, isQuick } = bench;
  const { owner, organizationId, projectId } = tenant;
  const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const set = async (permissionIds: readonly string[]) =>
    data(await tenant.client.patch(`/api/groups/${groupId}`, { scope, permissionIds }, owner.token));
  const countGranted = async (): Promise<number> => {
    let granted = 0;
    for (let from = 0; from < customers.length; from += perCall) {
      const checks = customers.slice(from, from + perCall).map((customer) => checkOf(customer, 'Write'));
      const { decisions: given } = await client.isAuthorizedMany({ checks, explain: false });
      granted += given.filter(({ authorized }) => authorized).length;
    }
    return granted;
  };
  const { rbac = 0, tenancy = 0, postgres = 0 } = bench.processes('rbac', 'tenancy', 'postgres');
  const [changes, untilLast, cpu, postgresCpu]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < (isQuick ? 2 : 5); round += 1) {
    await set([readId]);
    if ((await countGranted()) !== 0) throw new Error('a customer has an action that its roles do not have');
    const before = [rbac, postgres].map(cpuSeconds);
    const startedAt = performance.now();
    await set([readId, writeId]);
    changes.push(performance.now() - startedAt);
    const granted = await countGranted();
    untilLast.push(performance.now() - startedAt);
    const after = [rbac, postgres].map(cpuSeconds);
    cpu.push(((after[0] ?? 0) - (before[0] ?? 0)) * 1_000);
    postgresCpu.push(((after[1] ?? 0) - (before[1] ?? 0)) * 1_000);
    if (granted !== customers.length) throw new Error(`${granted} of ${customers.length} customers have the action`);
  }
  const median = (values: readonly number[]): number =>
    percentile(
      values.toSorted((a, b) => a - b),
      50,
    );
  const each = { rbac: median(cpu) / customers.length, postgres: median(postgresCpu) / customers.length };
  const rows: Result[] = [
    { workload: `change of a role of ${name}: the request`, unit: 'ms', measured: median(changes), failures: 0 },
    {
      workload: `change of a role of ${name}: until the last customer has it`,
      unit: 'ms',
      measured: median(untilLast),
      cpuMsPerRequest: each,
      failures: 0,
      note: 'with one question for each customer, 1,000 in a call, whose rights are read again; CPU is for one customer',
    },
    { workload: `memory of rbac with the rights of ${name}`, unit: 'MiB', measured: memoryMebibytes(rbac), failures: 0 },
    { workload: `memory of tenancy with ${name}`, unit: 'MiB', measured: memoryMebibytes(tenancy), failures: 0 },
  ];
  return rows;
}
