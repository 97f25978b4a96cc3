import { fileURLToPath } from 'node:url';
import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/server/lifecycle';
import { Agent, request } from 'undici';
import { databaseServices } from '../../../../tools/services.ts';
import { data } from '../../../support/load/tenant.ts';
import { queriesOf } from '../../../support/statements.ts';
import type { Bench } from '../bench.ts';
import { type HttpTarget, httpShot, value } from '../http.ts';
import { type Floor, startFloor } from '../processes.ts';
import { steady } from '../race.ts';
import type { Result } from '../report.ts';
import { compareRequests, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

const oneService = `query Organizations($input: OrganizationsInput!) {
  organizations(input: $input) { organizations { id name slug createdAt } totalCount hasNextPage }
}`;
const twoServices = `query OrganizationsWithRoles($input: OrganizationsInput!) {
  organizations(input: $input) { organizations { id name roles { id name rank } } totalCount }
}`;

const supergraph = fileURLToPath(new URL('../../../../services/gateway/generated/supergraph.graphql', import.meta.url));
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
        method,
        headers: { ...value(headers), 'content-type': 'application/json' },
        body: value(body),
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
  return compareRequests(pace, {
    workload: 'GraphQL query of one service',
    measured: { name: 'gateway', target: gateway, processes: bench.processes('gateway', 'tenancy', 'postgres') },
    floor: { name: 'the subgraph alone', target: subgraph, processes: bench.processes('tenancy', 'postgres') },
    promise: { atLeast: 0.4 },
    latency: {},
  });
}

const apolloName = '@apollo/server with the default data source';

/** @apollo/server in front of the services whose sockets are given. */
function startApollo({ stack }: Bench, socketUrl: (service: (typeof databaseServices)[number]) => string): Promise<Floor> {
  return startFloor('apollo-gateway.ts', {
    SUPERGRAPH: supergraph,
    SERVICES: JSON.stringify(Object.fromEntries(databaseServices.map((name) => [name, socketOf(socketUrl(name))]))),
    INTERNAL_AUTH_SECRET: stack.env('gateway').INTERNAL_AUTH_SECRET ?? '',
    NODE_ENV: 'production',
  });
}

/** The join in front of subgraphs that cost nothing: what the gateways themselves can do. */
async function joinOfBareSubgraphs(bench: Bench) {
  const { url, pid, routes } = await bareRoutesBehindGateway(bench);
  await using apollo = await startApollo(bench, () => routes.address);
  const sides = [
    { ...target(bench, twoServices, '/graphql'), origin: url },
    { ...target(bench, twoServices, '/'), origin: apollo.address },
  ] as const;
  await assertSameAnswers(sides);
  return await compareRequests(bench.pace, {
    workload: 'GraphQL join of two bare subgraphs',
    measured: { name: 'gateway', target: sides[0], processes: { gateway: pid, routes: routes.pid } },
    floor: { name: apolloName, target: sides[1], processes: { apollo: apollo.pid, routes: routes.pid } },
    promise: { atLeast: 2.5 },
    latency: {},
    note: 'both gateways on the same graph, in front of constant answers: no database decides the race',
  });
}

async function joinOfTwo(bench: Bench) {
  const { stack, tenant } = bench;
  await using apollo = await startApollo(bench, (name) => stack.doors(name).httpUrl);
  const note = 'an organization with its roles: both sides wait for the same services';
  const one = await joinRace(bench, apollo, 'GraphQL join of two services', { atLeast: 2 }, note);
  if (bench.isQuick) return one;
  for (let count = 0; count < 4; count += 1) {
    const scope = { tenant: 'account', id: tenant.accountId };
    data(await tenant.client.post('/api/organizations', { scope, name: `joined ${count}` }, tenant.owner.token));
  }
  const five = 'five organizations with their roles, in one batch';
  return [...one, ...(await joinRace(bench, apollo, 'GraphQL join, five rows', undefined, five))];
}

async function joinRace(bench: Bench, apollo: Floor, workload: string, promise: Result['promise'], note: string) {
  const { stack } = bench;
  const sides = [
    { ...target(bench, twoServices, '/graphql'), origin: stack.url },
    { ...target(bench, twoServices, '/'), origin: apollo.address },
  ] as const;
  await assertSameAnswers(sides);
  using ours = httpShot(sides[0]);
  const services = bench.processes('tenancy', 'rbac', 'postgres');
  return await compareRequests(steady(bench.pace), {
    workload,
    promise,
    isByCpu: true,
    note,
    latency: {},
    queriesPerRequest: await queriesOf(stack, ours.shot),
    measured: { name: 'gateway', target: sides[0], processes: { ...bench.processes('gateway'), ...services } },
    floor: { name: apolloName, target: sides[1], processes: { apollo: apollo.pid, ...services } },
  });
}
