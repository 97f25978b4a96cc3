import { accept, authenticate, type TokenRules } from './bearer.ts';
import { metadataHeaders, metadataOf, metadataPathOf, type ProtectedResource } from './resource.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf, type TokenRules } from './bearer.ts';
export type { ProtectedResource } from './resource.ts';

/** The used parts of Fastify's types, so that this package does not depend on Fastify. */
type Headers = { readonly authorization?: string | undefined; readonly [name: string]: unknown };
type Request = { readonly headers: Headers; readonly method: string; readonly originalUrl: string };
type Reply = { code(status: number): Reply; headers(values: Record<string, string>): Reply; send(body: unknown): unknown };
type App = { get(path: string, handler: (request: unknown, reply: Reply) => Promise<unknown>): unknown };

/**
 * `fastify.addHook('onRequest', requireToken(verifier))`: the route runs only with a valid token.
 */
export function requireToken(verifier: Verifier, rules: TokenRules = {}) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const { headers, method, originalUrl: url } = request;
    const dpop = typeof headers['dpop'] === 'string' ? headers['dpop'] : undefined;
    const outcome = await authenticate(verifier, { authorization: headers.authorization, dpop, method, url }, rules);
    if (!('claims' in outcome))
      return reply
        .code(outcome.status)
        .headers({ ...outcome.headers })
        .send(outcome.body);
    accept(request, outcome.claims);
    return undefined;
  };
}

/**
 * `fastify.register(protectedResource({ … }))`: serves the API's metadata (RFC 9728), by which
 * clients find the issuer. Keep it outside of the plugin that has `requireToken`.
 */
export function protectedResource(resource: ProtectedResource) {
  const [path, metadata] = [metadataPathOf(resource.resource), metadataOf(resource)];
  return async (app: App): Promise<void> => {
    app.get(path, async (_request, reply) => reply.headers(metadataHeaders).send(metadata));
  };
}
