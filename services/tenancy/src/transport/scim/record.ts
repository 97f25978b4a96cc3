/** Notes each request of an organization's own service account, after the answer. */
import type { Runtime } from '@tessera/kernel/operation';
import { factsOf } from '@tessera/server/rest';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenancyDeps } from '../../deps.ts';
import { isObject, type Json } from '../../domain/scim/resource.ts';
import type { Admitted } from './answer.ts';

/** `failure` without a status of 400: what failed inside of a request that was answered. */
export type Known = { readonly admitted?: Admitted; readonly failure?: Json };
type Note = (request: FastifyRequest, known: Known) => void;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * A caller who is not known, or is of another organization, leaves no row: else a stranger could
 * fill the log of an organization, and push out what its directory has sent.
 */
export function recordRequests(scim: FastifyInstance, { deps }: Pick<Runtime<TenancyDeps>, 'deps'>): Note {
  const known = new WeakMap<FastifyRequest, Known>();
  scim.addHook('onResponse', async (request, reply) => {
    const { admitted, failure = {} } = known.get(request) ?? {};
    const params = isObject(request.params) ? request.params : {};
    const query = isObject(request.query) ? request.query : {};
    const organizationId = textOf(params['organizationId']);
    if (admitted?.isOwn !== true || organizationId === undefined) return;
    const { accountId, credentialId } = admitted;
    const isRead = isObject(request.body) || Array.isArray(request.body);
    deps.requestLog.note({
      organizationId,
      serviceAccountId: accountId,
      credentialId,
      ipAddress: factsOf(request, 'rest').ipAddress,
      method: request.method,
      path: `/${textOf(params['*']) ?? ''}`,
      filter: textOf(query['filter']) ?? (isRead ? textOf((request.body as Json)['filter']) : undefined),
      status: reply.statusCode,
      scimType: textOf(failure['scimType']),
      detail: textOf(failure['detail']),
      durationMs: reply.elapsedTime,
      body: isRead ? request.body : undefined,
    });
  });
  return (request, more) => void known.set(request, { ...known.get(request), ...more });
}
