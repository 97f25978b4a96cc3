import { accept, authenticate } from './bearer.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './bearer.ts';

/** The used parts of Fastify's types, so that this package does not depend on Fastify. */
type Request = { readonly headers: { readonly authorization?: string | undefined } };
type Reply = { code(status: number): Reply; headers(values: Record<string, string>): Reply; send(body: unknown): unknown };

/**
 * `fastify.addHook('onRequest', requireToken(verifier))`: the route runs only with a valid token.
 */
export function requireToken(verifier: Verifier) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const outcome = await authenticate(verifier, request.headers.authorization);
    if (!('claims' in outcome))
      return reply
        .code(outcome.status)
        .headers({ ...outcome.headers })
        .send(outcome.body);
    accept(request, outcome.claims);
    return undefined;
  };
}
