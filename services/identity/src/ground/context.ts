import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { GroundDeps } from './deps.ts';

/** A request to an OAuth endpoint, for its steps. */
export type ProtocolContext<Deps extends GroundDeps = GroundDeps> = {
  readonly deps: Deps;
  readonly now: Date;
  readonly query: URLSearchParams;
  readonly request: RequestFacts;
  readonly response: ResponseEffects;
  /** The project that a person signs in to, for the audit log. */
  readonly scope?: ParsedScope;
  /** The site that sent the browser here, if the browser says so. */
  readonly cameFrom: { readonly fetchSite: string | undefined; readonly referer: string | undefined };
};

export type Redirect = { readonly location: string };
