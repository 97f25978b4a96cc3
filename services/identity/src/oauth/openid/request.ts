/** What the callbacks of oidc-provider know of the request that they serve. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import Provider from 'oidc-provider';
import type { OwnGrant, Place } from '../../apps/storage/openid-artifacts.ts';
import type { AppSecretDigest } from '../../apps/storage/project-app-secrets.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { UnmetDemand } from '../../sign-in/demands.ts';
import type { SignedInSession } from '../../sign-in/storage/sessions.ts';
import type { ProtocolContext } from '../deps.ts';
import type { Issuer } from './issuer.ts';
import type { Choice, Organization } from './organizations.ts';
import type { Exchange } from './token-exchange.ts';

export type OpenidRequest = {
  readonly issuer: Issuer;
  readonly context: ProtocolContext;
  /** Digest of the cookie that binds an interaction to this browser. */
  readonly browser: string | undefined;
  /** The platform session of the browser. */
  readonly session: SignedInSession | undefined;
  /** The access token that the client sent: the library sees `handle` in its place. */
  readonly presented: Presented | undefined;
  /** At the token endpoint: what the client presents is used, and not only described. */
  readonly isExchange: boolean;
  /** Stands in a form of the library that no browser has seen. */
  readonly formSecret?: string;
  /** The apps that this request has read. */
  readonly apps: Map<string, ProjectApp>;
  /** The client secrets of these apps, by the id of the app. */
  readonly secrets: Map<string, readonly AppSecretDigest[]>;
  /** The access token that was just issued, for `at_hash`. */
  issuedAccessToken?: string;
  /** The client has shown its secret or signed the request. */
  isClientProven?: boolean;
  /** The code that this request presents to be spent. */
  code?: Place;
  /** The refresh token that this request spends. */
  spent?: string;
  /** What took its place. */
  rotated?: Rotated;
  /** For which organization the person signs in. */
  choice?: Promise<Choice>;
  /** What of the demands of app and organization the sign-in does not meet. */
  unmetDemand?: Promise<UnmetDemand | undefined>;
  /** The organization that the tokens of this request are for, if it uses another one's project. */
  organizationId?: string;
  /** Its name, once it is known that the person belongs there. */
  organization?: Organization;
  /** The token of another app that this request exchanges. */
  exchange?: Exchange;
  /** The session that a client of the platform has just got for itself. */
  own?: OwnGrant;
};

type Presented = {
  readonly handle: string;
  readonly tokenId: string;
  readonly issuedAt: number;
  /** The key to which the token is bound, and whether the gateway has seen a proof of it. */
  readonly keyThumbprint: string | undefined;
  readonly isProven: boolean;
};

export type Rotated = {
  readonly successor: string;
  /** The token was spent by another request, at most ten seconds ago. */
  readonly isRepeated: boolean;
};

/** Koa asks whether it is encrypted. Nothing is read from it or written to it. */
const closedSocket = new Socket().destroy();

type Parts = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The form as text. */
  readonly body: string | undefined;
};

/** A request that was read already, as koa takes it. */
export class OpenidMessage extends IncomingMessage {
  readonly openid: OpenidRequest;
  constructor({ method, url, headers, body }: Parts, openid: OpenidRequest) {
    super(closedSocket);
    const bytes = Buffer.from(body ?? '');
    this.method = method;
    this.url = url;
    this.headers = bytes.length === 0 ? headers : { ...headers, 'content-length': String(bytes.length) };
    this.openid = openid;
    if (bytes.length > 0) this.push(bytes);
    this.push(null);
    this.complete = true;
  }
}

/** Koa's context, as much of it as this needs. */
type Context = { readonly req: IncomingMessage };

export function openidOf({ req }: Context): OpenidRequest {
  if (!(req instanceof OpenidMessage)) throw new Error('the request has not come through callProvider');
  return req.openid;
}

/** For what the library calls without its context: storage and the methods of its models. */
export function currentRequest(): OpenidRequest {
  const request = requestOrNone();
  if (request === undefined) throw new Error('there is no OpenID request here');
  return request;
}

/**
 * Under this key stand, beside a person's standard claims, those of the app: the library knows no
 * scope that gives them.
 */
export const mappedClaims = Symbol('mapped claims');

/** Undefined in a job. */
export function requestOrNone(): OpenidRequest | undefined {
  const { ctx } = Provider;
  return ctx && openidOf(ctx);
}
