import { authenticate, believe } from './bearer.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './bearer.ts';

/** The parts of Express's request and response that are used, so that this package needs no Express of its own. */
type Request = { readonly headers: { readonly authorization?: string | undefined } };
type Response = { status(status: number): Response; set(values: Record<string, string>): Response; json(body: unknown): unknown };
type Next = (error?: unknown) => void;

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
        believe(request, outcome.claims);
        next();
      })
      .catch(next);
  };
}
