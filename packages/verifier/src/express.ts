import { accept, authenticate, type TokenRules } from './bearer.ts';
import { metadataHeaders, metadataOf, metadataPathOf, type ProtectedResource } from './resource.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf, type TokenRules } from './bearer.ts';
export type { ProtectedResource } from './resource.ts';

/** The used parts of Express's types, so that this package does not depend on Express. */
type Headers = { readonly authorization?: string | undefined; readonly [name: string]: unknown };
type Request = { readonly headers: Headers; readonly method?: string; readonly url?: string; readonly originalUrl?: string };
type Response = { status(status: number): Response; set(values: Record<string, string>): Response; json(body: unknown): unknown };
type Next = (error?: unknown) => void;

/** `app.use(requireToken(verifier))`: the following handlers run only with a valid token. */
export function requireToken(verifier: Verifier, rules: TokenRules = {}) {
  return (request: Request, response: Response, next: Next): void => {
    const { headers, method = '', url = '/', originalUrl = url } = request;
    const dpop = typeof headers['dpop'] === 'string' ? headers['dpop'] : undefined;
    authenticate(verifier, { authorization: headers.authorization, dpop, method, url: originalUrl }, rules)
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

/**
 * `app.use(protectedResource({ … }))`, before `requireToken`: serves the API's metadata (RFC 9728),
 * by which clients find the issuer.
 */
export function protectedResource(resource: ProtectedResource) {
  const [path, metadata] = [metadataPathOf(resource.resource), metadataOf(resource)];
  return ({ method, url = '/', originalUrl = url }: Request, response: Response, next: Next): void => {
    if (method !== 'GET' || originalUrl.split('?')[0] !== path) next();
    else response.status(200).set(metadataHeaders).json(metadata);
  };
}
