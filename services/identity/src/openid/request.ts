/** What the callbacks of oidc-provider know of the request that they serve. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProjectApp } from '../domain/oauth/project-app.ts';
import type { ProtocolContext } from '../protocol/context.ts';
import type { OwnGrant } from '../storage/openid-artifacts.ts';
import type { SignedInSession } from '../storage/sessions.ts';
import type { Issuer } from './issuer.ts';

export type OpenidRequest = {
  readonly issuer: Issuer;
  readonly context: ProtocolContext;
  /** Digest of the cookie that binds an interaction to this browser. */
  readonly browser: string | undefined;
  /** The platform session of the browser. */
  readonly session: SignedInSession | undefined;
  /** The access token that the client sent: the library sees `handle` in its place. */
  readonly presented: { readonly handle: string; readonly tokenId: string } | undefined;
  /** Stands in a form of the library that no browser has seen. */
  readonly formSecret?: string;
  /** The apps that this request has read. */
  readonly apps: Map<string, ProjectApp>;
  /** The access token that was just issued, for `at_hash`. */
  issuedAccessToken?: string;
  /** The session that a client of the platform has just got for itself. */
  own?: OwnGrant;
};

const current = new AsyncLocalStorage<OpenidRequest>();

export function runRequest<Result>(request: OpenidRequest, work: () => Promise<Result>): Promise<Result> {
  return current.run(request, work);
}

export function currentRequest(): OpenidRequest {
  const request = current.getStore();
  if (request === undefined) throw new Error('there is no OpenID request here');
  return request;
}

/** Undefined in a job. */
export function requestOrNone(): OpenidRequest | undefined {
  return current.getStore();
}
