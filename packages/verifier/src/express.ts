import { authenticate } from './bearer.ts';
import type { Claims } from './claims.ts';
import type { Verifier } from './verifier.ts';

/** The parts of Express's request and response that are used, so that this package needs no Express of its own. */
type Request = { readonly headers: { readonly authorization?: string | undefined } };
type Response = { status(status: number): Response; set(values: Record<string, string>): Response; json(body: unknown): unknown };
type Next = (error?: unknown) => void;

const believed = new WeakMap<object, Claims>();

/** `app.use(requireToken(verifier))`: what follows runs only with a token that may be believed. */
export function requireToken(verifier: Verifier) {
  return (request: Request, response: Response, next: Next): void => {
    authenticate(verifier, request.headers.authorization)
      .then((outcome) => {
        if (!('claims' in outcome))
          return void response
            .status(outcome.status)
            .set({ ...outcome.headers })
            .json(outcome.body);
        believed.set(request, outcome.claims);
        next();
      })
      .catch(next);
  };
}

/** The claims of a request that passed `requireToken`. */
export function claimsOf(request: Request): Claims {
  const claims = believed.get(request);
  if (claims === undefined) throw new TypeError('requireToken did not run for this request');
  return claims;
}
