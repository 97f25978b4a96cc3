import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type SigningScope, systemScope } from '../../domain/signing-scope.ts';
import type { KeySets } from './key-sets.ts';

/**
 * RFC 7517 key sets at fixed addresses, public and without envelope: that is why they are no
 * operations.
 */
export const jwksRoutes = [
  { path: '/.well-known/jwks.json', scopeOf: (): SigningScope => systemScope },
  { path: '/org/:parentId/prj/:projectId/.well-known/jwks.json', scopeOf: (params: Params) => projectScope('organizationProject', params) },
  { path: '/acc/:parentId/prj/:projectId/.well-known/jwks.json', scopeOf: (params: Params) => projectScope('accountProject', params) },
] as const;

type Params = { readonly parentId?: string; readonly projectId?: string };

export function bindJwks(app: FastifyInstance, keySets: KeySets, maxAgeSeconds: number): void {
  const cacheControl = `public, max-age=${maxAgeSeconds}`;
  for (const { path, scopeOf } of jwksRoutes) {
    app.get<{ Params: Params }>(path, async (request, reply) => {
      const document = await keySets.read(scopeOf(request.params));
      if (document === undefined) throw failures.notFound('Project');
      void reply.header('cache-control', cacheControl).header('etag', document.etag);
      return isKnownTo(request, document.etag) ? reply.status(304).send() : sendJson(reply, document.body);
    });
  }
}

function projectScope(tenant: 'organizationProject' | 'accountProject', { parentId = '', projectId = '' }: Params): SigningScope {
  if (!isId(parentId) || !isId(projectId)) throw failures.notFound('Project');
  return { tenant, id: `${parentId}:${projectId}` };
}

/** RFC 9110 section 13.1.2: weak comparison, a list, or any. */
function isKnownTo({ headers }: FastifyRequest, etag: string): boolean {
  const given = headers['if-none-match'];
  if (given === undefined) return false;
  return given.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function sendJson(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body);
}
