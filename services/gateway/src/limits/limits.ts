import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitKey } from '../edge/address.ts';
import type { Counter } from './counter.ts';
import { count, type Layers, limitHeaders, type Verdict } from './layers.ts';
import { limitBody } from './refusal.ts';
import type { TenantOf } from './tenant.ts';

export type Limits = {
  readonly counter: Counter;
  readonly layers: Layers;
  readonly tenantOf: TenantOf;
};

/** Counts what a GraphQL document does in the auth layer; false when the request has been refused. */
export type CountAuth = (request: FastifyRequest, reply: FastifyReply, amount: number) => Promise<boolean>;

export const graphqlPath = '/graphql';

/** Every request is counted before anything is done for it. */
export const installLimits = (app: FastifyInstance, { counter, layers, tenantOf }: Limits): CountAuth => {
  app.addHook('onRequest', async (request, reply) => {
    const { limit = 'global' } = request.routeOptions.config;
    if (limit === 'none') return undefined;
    const address = limitKey(request.edge.address);
    const verdicts = [await count(counter, layers.global, address)];
    if (limit === 'auth') verdicts.push(await count(counter, layers.auth, address));
    const tenant = layers.tenant === undefined ? undefined : await tenantOf(request.headers.authorization);
    if (layers.tenant !== undefined && tenant !== undefined) verdicts.push(await count(counter, layers.tenant, tenant));
    return mayPass(request, reply, verdicts) ? undefined : reply;
  });
  return async (request, reply, amount) =>
    amount === 0 || mayPass(request, reply, [await count(counter, layers.auth, limitKey(request.edge.address), amount)]);
};

/** Without limits, everything passes. */
export const noLimits: CountAuth = async () => true;

const mayPass = (request: FastifyRequest, reply: FastifyReply, verdicts: readonly Verdict[]): boolean => {
  addLimitHeaders(request.edge.responseHeaders, verdicts);
  const refused = verdicts.filter(({ isAllowed }) => !isAllowed);
  if (refused.length === 0) return true;
  const resetSeconds = Math.max(...refused.map((verdict) => verdict.resetSeconds));
  const isGraphql = request.routeOptions.url === graphqlPath;
  reply
    .code(429)
    .header('retry-after', String(resetSeconds))
    .send(limitBody(resetSeconds, request.edge.language, isGraphql));
  return false;
};

/** One pair of headers for all layers, whenever they were counted. */
const addLimitHeaders = (headers: string[], verdicts: readonly Verdict[]): void => {
  const added = limitHeaders(verdicts);
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push(...added);
    return;
  }
  headers[known + 1] = `${headers[known + 1]}, ${added[1]}`;
  headers[known + 3] = `${headers[known + 3]}, ${added[3]}`;
};
