/**
 * services/gateway/generated/routes.ts: where every path leads and how it is limited, from the
 * declarations of the operations and the protocol routes of the services.
 */
import type { Operation } from '@tessera/kernel/operation';
import type { ProtocolRoute } from '@tessera/server/rest';
import type { RouteRule } from '../../services/gateway/src/proxy/route-rule.ts';
import { protocolRoutes as identity } from '../../services/identity/src/transport/protocol/routes.ts';
import { protocolRoutes as keys } from '../../services/keys/src/transport/protocol/routes.ts';
import { protocolRoutes as rbac } from '../../services/rbac/src/transport/protocol/routes.ts';
import { protocolRoutes as tenancy } from '../../services/tenancy/src/transport/protocol/routes.ts';
import { operationsOf } from './references.ts';
import { SERVICES } from './services.ts';
import type { Step } from './step.ts';

type Service = RouteRule['service'];
type Declared = Pick<Operation<never>, 'rest' | 'graphql' | 'limit' | 'changesDocuments'>;
export type Served = { readonly operations: readonly Declared[]; readonly protocols: readonly ProtocolRoute[] };
/** An operation at its address, with what the gateway does there. */
type Endpoint = Pick<RouteRule, 'service' | 'limit' | 'bodyLimitBytes' | 'changesDocuments'> & Required<Pick<RouteRule, 'path' | 'method'>>;

function isCounted({ limit }: Declared): boolean {
  return limit === 'auth';
}

function endpointsOf([service, { operations }]: readonly [Service, Served]): readonly Endpoint[] {
  return operations.flatMap(({ rest, limit, changesDocuments }) =>
    'method' in rest
      ? [
          {
            path: rest.path,
            service,
            method: rest.method,
            ...(limit === 'auth' ? { limit } : {}),
            ...(rest.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: rest.bodyLimitBytes }),
            ...(changesDocuments === undefined ? {} : { changesDocuments }),
          },
        ]
      : [],
  );
}

/** `/api/roles` of `/api/roles/:id`: one rule leads to the service of most paths below it. */
function firstWords(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}

function mostFrequent(services: readonly Service[]): Service {
  const [most] = SERVICES.map((service) => ({ service, count: services.filter((each) => each === service).length })).toSorted(
    (left, right) => right.count - left.count,
  );
  if (most === undefined) throw new Error('there is no service');
  return most.service;
}

function differs({ service, method: _, path: _path, ...own }: Endpoint, prefix: RouteRule | undefined): boolean {
  return service !== prefix?.service || Object.keys(own).length > 0;
}

/** Operations at one path, where one of them needs more than the rule of the path above. */
function exactRules(endpoints: readonly Endpoint[], prefix: RouteRule | undefined): readonly RouteRule[] {
  const needed = endpoints.filter((endpoint) => differs(endpoint, prefix));
  const [first] = needed;
  if (first === undefined) return [];
  const { method: _, ...shared } = first;
  const isOne =
    needed.length === endpoints.length && needed.every(({ method: _method, ...own }) => JSON.stringify(own) === JSON.stringify(shared));
  return isOne ? [{ ...shared, isExact: true }] : needed.map((endpoint) => ({ ...endpoint, isExact: true }));
}

/** The rules in the order of their paths. Throws when two services claim one. */
export function rulesOf(served: Readonly<Record<Service, Served>>): readonly RouteRule[] {
  const entries = SERVICES.map((service) => [service, served[service]] as const);
  const protocols = entries.flatMap(([service, { protocols: own }]) =>
    own.map(({ isPrefix, ...route }): RouteRule => ({ ...route, service, ...(isPrefix === undefined ? { isExact: true } : {}) })),
  );
  const endpoints = entries.flatMap(endpointsOf);
  const stated = new Map(protocols.map((rule) => [rule.path, rule]));
  const prefixes = [...Map.groupBy(endpoints, ({ path }) => firstWords(path))].map(
    ([path, below]): RouteRule => stated.get(path) ?? { path, service: mostFrequent(below.map(({ service }) => service)) },
  );
  const exact = [...Map.groupBy(endpoints, ({ path }) => path.replaceAll(/:\w+/g, ':'))].flatMap(([path, own]) =>
    exactRules(
      own,
      prefixes.find((prefix) => prefix.path === firstWords(path)),
    ),
  );
  const rules = [...new Set([...prefixes, ...protocols, ...exact])].toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const byAddress = Map.groupBy(rules, ({ path, isExact, method }) => `${method ?? ''} ${path}${isExact ? '' : '/*'}`);
  const twice = [...byAddress.values()].find(({ length }) => length > 1);
  if (twice !== undefined) throw new Error(`${twice[0]?.path} is claimed by ${twice.map(({ service }) => service).join(' and ')}`);
  return rules;
}

/** The root fields whose operations count in the limit of authentication. */
export function authFieldsOf(operations: readonly Declared[]): readonly string[] {
  return operations.filter(isCounted).flatMap(({ graphql }) => ('field' in graphql ? [graphql.field] : []));
}

/** The root fields whose operations can change a public document. */
export function documentFieldsOf(operations: readonly Declared[]): readonly string[] {
  return operations.flatMap(({ changesDocuments, graphql }) => (changesDocuments && 'field' in graphql ? [graphql.field] : []));
}

function literal(rule: RouteRule): string {
  const names = [
    'method',
    'path',
    'isExact',
    'service',
    'limit',
    'bodyLimitBytes',
    'cors',
    'isDocument',
    'changesDocuments',
  ] as const satisfies readonly (keyof RouteRule)[];
  const fields = names.flatMap((name) =>
    rule[name] === undefined ? [] : [`${name}: ${typeof rule[name] === 'string' ? `'${rule[name]}'` : rule[name]}`],
  );
  return `{ ${fields.join(', ')} }`;
}

export const gatewayRoutes: Step = {
  name: 'routes of the gateway',
  make: async (root) => {
    const of = async (service: Service, protocols: readonly ProtocolRoute[]) => ({
      operations: await operationsOf(root, service),
      protocols,
    });
    const served = {
      identity: await of('identity', identity),
      tenancy: await of('tenancy', tenancy),
      rbac: await of('rbac', rbac),
      keys: await of('keys', keys),
    };
    const rules = rulesOf(served).map((rule) => `  ${literal(rule)},\n`);
    const operations = Object.values(served).flatMap((service) => service.operations);
    const lines = (fields: readonly string[]) => fields.map((field) => `  '${field}',\n`).join('');
    const content = [
      '// Written by `npm run generate` from the declarations of the operations and the protocol routes.',
      "import type { RouteRule } from '../src/proxy/route-rule.ts';\n",
      '/** All REST routes. */',
      `export const routeRules: readonly RouteRule[] = [\n${rules.join('')}];\n`,
      "/** Mutations whose declaration says `limit: 'auth'`, like their routes. */",
      `export const authFields: ReadonlySet<string> = new Set([\n${lines(authFieldsOf(operations))}]);\n`,
      '/** Mutations whose declaration says `changesDocuments`, like their routes. */',
      `export const documentFields: ReadonlySet<string> = new Set([\n${lines(documentFieldsOf(operations))}]);\n`,
    ];
    return [{ path: 'services/gateway/generated/routes.ts', content: content.join('\n') }];
  },
};
