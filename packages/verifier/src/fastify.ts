import { authenticate } from './bearer.ts';
import type { Claims } from './claims.ts';
import type { Verifier } from './verifier.ts';

/** The parts of Fastify's request and reply that are used, so that this package needs no Fastify of its own. */
type Request = { readonly headers: { readonly authorization?: string | undefined } };
type Reply = { code(status: number): Reply; headers(values: Record<string, string>): Reply; send(body: unknown): unknown };

const believed = new WeakMap<object, Claims>();

/** `fastify.addHook('onRequest', requireToken(verifier))`: the route runs only with a token that may be believed. */
export function requireToken(verifier: Verifier) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const outcome = await authenticate(verifier, request.headers.authorization);
    if (!('claims' in outcome))
      return reply
        .code(outcome.status)
        .headers({ ...outcome.headers })
        .send(outcome.body);
    believed.set(request, outcome.claims);
    return undefined;
  };
}

/** The claims of a request that passed `requireToken`. */
export function claimsOf(request: Request): Claims {
  const claims = believed.get(request);
  if (claims === undefined) throw new TypeError('requireToken did not run for this request');
  return claims;
}
