import type { Claims } from './claims.ts';
import type { Verifier } from './verifier.ts';
import { checkRequest, type TokenRules } from './web.ts';

export { type ProtectedResource, protectedResource, type TokenRules } from './web.ts';

/** The used parts of Hono's types, so that this package does not depend on Hono. */
type Context = { readonly req: { readonly raw: Request }; set(key: 'claims', value: Claims): void };
type Next = () => Promise<void>;

/**
 * `app.use(requireToken(verifier))`: later handlers run only with a valid token, `c.get('claims')`.
 */
export function requireToken(verifier: Verifier, rules: TokenRules = {}) {
  return async (context: Context, next: Next): Promise<Response | undefined> => {
    const outcome = await checkRequest(verifier, context.req.raw, rules);
    if (outcome instanceof Response) return outcome;
    context.set('claims', outcome);
    await next();
    return undefined;
  };
}
