import { connect } from '@tessera/kernel/grpc';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { createTenant } from '../../../support/load/tenant.ts';
import { type Bench, processesOf, startBenchStack } from '../bench.ts';
import { addOrganizations } from '../crowd.ts';
import { httpShot } from '../http.ts';
import type { Result } from '../report.ts';
import { observe, type Workload } from '../workload.ts';

export const growth: Workload = {
  name: 'growth',
  about: 'what a decision costs among 10 to 10,000 tenants, and with 1 to 4 replicas of rbac',
  isLeisurely: true,
  run: async (bench) => [...(await tenants(bench)), ...(await replicas(bench))],
};

/** Every check is about another tenant: 500 of them in turn, of as many as there are. */
async function tenants(bench: Bench): Promise<readonly Result[]> {
  const client = connect({
    service: 'rbac.v1.Authorization',
    url: bench.stack.doors('rbac').grpcUrl,
    secret: bench.stack.env('gateway').INTERNAL_AUTH_SECRET ?? '',
    self: 'identity',
  });
  const results: Result[] = [];
  let known = 0;
  try {
    for (const size of bench.isQuick ? [10, 10_000] : [10, 1_000, 10_000]) {
      const asked = await addOrganizations(bench.stack, size - known, 500);
      known = size;
      const checks = asked.map(
        ({ organizationId, userId }): wire.Check => ({
          subject: { type: 'session', userId, tokenId: userId, scopes: [] },
          scope: { tenant: 'organization', id: organizationId },
          resource: 'Role',
          action: 'Create',
          targetJson: '',
          noCache: false,
        }),
      );
      for (const noCache of [false, true]) {
        let turn = 0;
        const shot = async () => {
          turn += 1;
          const check = checks[turn % checks.length];
          const { authorized } = await client.isAuthorized({ ...(check as wire.Check), noCache });
          if (!authorized) throw new Error('refused');
        };
        const name = `decision among ${size.toLocaleString('en')} tenants, ${noCache ? 'cold' : 'warm'}`;
        results.push(await observe(bench.pace, name, { name, shot, concurrency: 32, processes: bench.processes('rbac', 'postgres') }));
      }
    }
    return results;
  } finally {
    client.close();
  }
}

async function replicas({ isQuick, pace }: Bench): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const count of isQuick ? [1, 2] : [1, 2, 4]) {
    await using stack = await startBenchStack({ replicas: { rbac: count } });
    const tenant = await createTenant(stack, `replicas-${count}`);
    using target = httpShot({
      origin: stack.url,
      method: 'POST',
      path: '/api/auth/is-authorized',
      headers: { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' },
      body: JSON.stringify({
        permission: { resource: 'Role', action: 'Create' },
        scope: { tenant: 'organization', id: tenant.organizationId },
      }),
    });
    const names = Object.keys(stack.processes).filter((name) => name === 'gateway' || name.startsWith('rbac'));
    const name = `REST is-authorized, ${count} ${count === 1 ? 'replica' : 'replicas'} of rbac`;
    results.push(
      await observe(
        pace,
        name,
        { name, ...target, concurrency: 64, processes: processesOf(stack, names) },
        { note: 'client, gateway, replicas and Postgres on the same cores' },
      ),
    );
  }
  return results;
}
