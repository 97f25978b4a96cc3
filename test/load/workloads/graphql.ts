import { fileURLToPath } from 'node:url';
import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/kernel/lifecycle';
import { Agent, request } from 'undici';
import { databaseServices } from '../../../tools/stack/services.ts';
import type { Bench } from '../bench.ts';
import { type HttpTarget, httpShot, value } from '../http.ts';
import { type Floor, startFloor } from '../processes.ts';
import { steady } from '../race.ts';
import type { Result } from '../report.ts';
import { countStatements } from '../statements.ts';
import { data } from '../tenant.ts';
import { compare, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

const oneService = `query Organizations($input: OrganizationsInput!) {
  organizations(input: $input) { organizations { id name slug createdAt } totalCount hasNextPage }
}`;
const twoServices = `query OrganizationsWithRoles($input: OrganizationsInput!) {
  organizations(input: $input) { organizations { id name roles { id name rank } } totalCount }
}`;

const supergraph = fileURLToPath(new URL('../../../services/gateway/generated/supergraph.graphql', import.meta.url));
function socketOf(url: string): string {
  return url.slice('unix:'.length);
}

export const graphql: Workload = {
  name: 'graphql',
  about: 'a query of one service against its subgraph alone; a join of two services against @apollo/server with the default data source',
  run: async (bench) => [...(await oneServiceQuery(bench)), ...(await joinOfBareSubgraphs(bench)), ...(await joinOfTwo(bench))],
};

function target({ tenant }: Bench, query: string, path: string): Omit<HttpTarget, 'origin'> {
  return {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' },
    forbidden: '"errors"',
    body: JSON.stringify({ query, variables: { input: { scope: { tenant: 'account', id: tenant.accountId } } } }),
  };
}

/** Both sides must say the same, or they do not do the same work. */
async function assertSameAnswers(sides: readonly HttpTarget[]): Promise<void> {
  const answers = await Promise.all(
    sides.map(async ({ origin, path, method = 'GET', headers = {}, body = '' }) => {
      const isSocket = origin.startsWith('unix:');
      const answer = await request(`${isSocket ? 'http://localhost' : origin}${value(path)}`, {
        ...{ method, headers: { ...value(headers), 'content-type': 'application/json' }, body: value(body) },
        ...(isSocket ? { dispatcher: new Agent({ connect: { socketPath: socketOf(origin) } }) } : {}),
      });
      const { data: answered } = JSON.parse(await answer.body.text());
      return JSON.stringify(answered);
    }),
  );
  if (answers.some((answer) => answer !== answers[0] || !answer.includes('"name"')))
    throw new Error(`the answers differ: ${answers.join(' ')}`);
}

async function oneServiceQuery(bench: Bench) {
  const { stack, pace } = bench;
  const credential = createCredentialIssuer(stack.env('gateway').INTERNAL_AUTH_SECRET ?? '', 'gateway');
  const asked = target(bench, oneService, '/graphql');
  const gateway = { ...asked, origin: stack.url };
  const headers = () => ({ authorization: `Bearer ${bench.tenant.owner.token}`, 'x-tessera-service': credential(doorPath('tenancy')) });
  const subgraph = { ...asked, origin: stack.doors('tenancy').httpUrl, headers };
  await assertSameAnswers([gateway, subgraph]);
  const [ours, alone] = [httpShot(gateway), httpShot(subgraph)];
  try {
    return await compare(pace, {
      workload: 'GraphQL query of one service',
      measured: { name: 'gateway', shot: ours.shot, concurrency: 64, processes: bench.processes('gateway', 'tenancy', 'postgres') },
      floor: { name: 'the subgraph alone', shot: alone.shot, concurrency: 64, processes: bench.processes('tenancy', 'postgres') },
      promise: { atLeast: 0.4 },
      latency: {},
    });
  } finally {
    ours.close();
    alone.close();
  }
}

/** The join in front of subgraphs that cost nothing: what the gateways themselves can do. */
async function joinOfBareSubgraphs(bench: Bench) {
  const { url, pid, routes } = await bareRoutesBehindGateway(bench);
  const apollo = await startFloor('apollo-gateway.ts', {
    SUPERGRAPH: supergraph,
    SERVICES: JSON.stringify(Object.fromEntries(databaseServices.map((name) => [name, socketOf(routes.address)]))),
    INTERNAL_AUTH_SECRET: bench.stack.env('gateway').INTERNAL_AUTH_SECRET ?? '',
    NODE_ENV: 'production',
  });
  const sides = [
    { ...target(bench, twoServices, '/graphql'), origin: url },
    { ...target(bench, twoServices, '/'), origin: apollo.address },
  ] as const;
  const [ours, floor] = [httpShot(sides[0]), httpShot(sides[1])];
  try {
    await assertSameAnswers(sides);
    return await compare(bench.pace, {
      workload: 'GraphQL join of two bare subgraphs',
      measured: { name: 'gateway', shot: ours.shot, concurrency: 64, processes: { gateway: pid, routes: routes.pid } },
      floor: {
        name: '@apollo/server with the default data source',
        shot: floor.shot,
        concurrency: 64,
        processes: { apollo: apollo.pid, routes: routes.pid },
      },
      promise: { atLeast: 2.5 },
      latency: {},
      note: 'both gateways on the same graph, in front of constant answers: no database decides the race',
    });
  } finally {
    ours.close();
    floor.close();
    await apollo.stop();
  }
}

async function joinOfTwo(bench: Bench) {
  const { stack, tenant } = bench;
  const apollo = await startFloor('apollo-gateway.ts', {
    SUPERGRAPH: supergraph,
    SERVICES: JSON.stringify(Object.fromEntries(databaseServices.map((name) => [name, socketOf(stack.doors(name).httpUrl)]))),
    INTERNAL_AUTH_SECRET: stack.env('gateway').INTERNAL_AUTH_SECRET ?? '',
    NODE_ENV: 'production',
  });
  try {
    const one = await joinRace(
      bench,
      apollo,
      'GraphQL join of two services',
      { atLeast: 2 },
      'an organization with its roles: both sides wait for the same services',
    );
    if (bench.isQuick) return one;
    for (let count = 0; count < 4; count += 1) {
      const scope = { tenant: 'account', id: tenant.accountId };
      data(await tenant.client.post('/api/organizations', { scope, name: `joined ${count}` }, tenant.owner.token));
    }
    return [
      ...one,
      ...(await joinRace(bench, apollo, 'GraphQL join, five rows', undefined, 'five organizations with their roles, in one batch')),
    ];
  } finally {
    await apollo.stop();
  }
}

async function joinRace(bench: Bench, apollo: Floor, workload: string, promise: Result['promise'], note: string) {
  const { stack } = bench;
  const pace = steady(bench.pace);
  const sides = [
    { ...target(bench, twoServices, '/graphql'), origin: stack.url },
    { ...target(bench, twoServices, '/'), origin: apollo.address },
  ] as const;
  const [ours, floor] = [httpShot(sides[0]), httpShot(sides[1])];
  try {
    await assertSameAnswers(sides);
    const asked = 10;
    const { queries } = await countStatements(stack, async () => {
      for (let count = 0; count < asked; count += 1) await ours.shot();
    });
    const services = bench.processes('tenancy', 'rbac', 'postgres');
    return await compare(pace, {
      ...{ workload, promise, note, latency: {}, queriesPerRequest: queries / asked },
      measured: { name: 'gateway', shot: ours.shot, concurrency: 64, processes: { ...bench.processes('gateway'), ...services } },
      floor: {
        name: '@apollo/server with the default data source',
        shot: floor.shot,
        concurrency: 64,
        processes: { apollo: apollo.pid, ...services },
      },
    });
  } finally {
    ours.close();
    floor.close();
  }
}
