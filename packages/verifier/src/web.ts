import { accept, authenticate, type TokenRules } from './bearer.ts';
import type { Claims } from './claims.ts';
import { metadataHeaders, metadataOf, type ProtectedResource } from './resource.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf, type TokenRules } from './bearer.ts';
export type { ProtectedResource } from './resource.ts';

type Handler<Context extends readonly unknown[]> = (request: Request, ...context: Context) => Response | Promise<Response>;

/**
 * For frameworks on the web's Request and Response: Next.js route handlers, Remix, Deno, Bun, edge
 * runtimes. `export const GET = withToken(verifier, (request) => …)`; `claimsOf(request)` has the
 * claims.
 */
export function withToken<Context extends readonly unknown[]>(
  verifier: Verifier,
  handler: Handler<Context>,
  rules: TokenRules = {},
): Handler<Context> {
  return async (request, ...context) => {
    const outcome = await checkRequest(verifier, request, rules);
    return outcome instanceof Response ? outcome : handler(request, ...context);
  };
}

/** The claims, or the response to send in their place. */
export async function checkRequest(verifier: Verifier, request: Request, rules: TokenRules = {}): Promise<Claims | Response> {
  const { headers, method, url } = request;
  const call = { authorization: headers.get('authorization') ?? undefined, dpop: headers.get('dpop') ?? undefined, method, url };
  const outcome = await authenticate(verifier, call, rules);
  if (!('claims' in outcome)) return Response.json(outcome.body, { status: outcome.status, headers: outcome.headers });
  accept(request, outcome.claims);
  return outcome.claims;
}

/**
 * The API's metadata (RFC 9728), by which clients find the issuer. In Next.js:
 * `export const GET = protectedResource({ … })` in
 * `app/.well-known/oauth-protected-resource/[[...path]]/route.ts`.
 */
export function protectedResource(resource: ProtectedResource): () => Response {
  const metadata = metadataOf(resource);
  return () => new Response(JSON.stringify(metadata), { headers: metadataHeaders });
}
