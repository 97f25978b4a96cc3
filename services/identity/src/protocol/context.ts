import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import type { IdentityDeps } from '../deps.ts';

/** A request to an OAuth endpoint, as its steps see it. */
export type ProtocolContext = {
  readonly deps: IdentityDeps;
  readonly now: Date;
  readonly query: URLSearchParams;
  readonly request: RequestFacts;
  readonly response: ResponseEffects;
  /** Which site sent the browser here, as far as it says. */
  readonly cameFrom: { readonly fetchSite: string | undefined; readonly referer: string | undefined };
};

export type Redirect = { readonly location: string };
