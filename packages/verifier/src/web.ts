import { accept, authenticate } from './bearer.ts';
import type { Claims } from './claims.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './bearer.ts';

type Handler<Context extends readonly unknown[]> = (request: Request, ...context: Context) => Response | Promise<Response>;

/**
 * For frameworks on the web's Request and Response: Next.js route handlers, Remix, Deno, Bun, edge
 * runtimes. `export const GET = withToken(verifier, (request) => …)`; `claimsOf(request)` has the
 * claims.
 */
export function withToken<Context extends readonly unknown[]>(verifier: Verifier, handler: Handler<Context>): Handler<Context> {
  return async (request, ...context) => {
    const outcome = await checkRequest(verifier, request);
    return outcome instanceof Response ? outcome : handler(request, ...context);
  };
}

/** The claims, or the response to send in their place. */
export async function checkRequest(verifier: Verifier, request: Request): Promise<Claims | Response> {
  const outcome = await authenticate(verifier, request.headers.get('authorization') ?? undefined);
  if (!('claims' in outcome)) return Response.json(outcome.body, { status: outcome.status, headers: outcome.headers });
  accept(request, outcome.claims);
  return outcome.claims;
}
