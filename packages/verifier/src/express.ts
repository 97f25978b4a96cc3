import { accept, authenticate } from './bearer.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './bearer.ts';

/** The used parts of Express's types, so that this package does not depend on Express. */
type Request = { readonly headers: { readonly authorization?: string | undefined } };
type Response = { status(status: number): Response; set(values: Record<string, string>): Response; json(body: unknown): unknown };
type Next = (error?: unknown) => void;

/** `app.use(requireToken(verifier))`: the following handlers run only with a valid token. */
export function requireToken(verifier: Verifier) {
  return (request: Request, response: Response, next: Next): void => {
    authenticate(verifier, request.headers.authorization)
      .then((outcome) => {
        if (!('claims' in outcome))
          return void response
            .status(outcome.status)
            .set({ ...outcome.headers })
            .json(outcome.body);
        accept(request, outcome.claims);
        next();
      })
      .catch(next);
  };
}
