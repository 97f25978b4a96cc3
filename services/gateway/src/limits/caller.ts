import { hash } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { requestContext } from '@tessera/kernel/telemetry';
import { type Claims, credentialOf, type TokenVerifier } from '@tessera/kernel/tokens';
import { LRUCache } from 'lru-cache';
import type { EdgeContext } from '../edge/context.ts';

/** Whom a request counts for, as its verified token says. */
export type Caller = {
  readonly tenant: string;
  /** A key, an app or a service account’s credential. Undefined for a person's session. */
  readonly credential: string | undefined;
  readonly agent: Agent | undefined;
};

/** An app that acts for a person: after a sign-in, or by the token of another app. */
export type Agent = {
  readonly clientId: string;
  readonly userId: string;
  /** The project, or its use by another organization. */
  readonly placeId: string;
  /** The same for all people and places. */
  readonly key: string;
  readonly keyOfPerson: string;
};

export type Callers = {
  /** Undefined without a valid token. */
  of(authorization: string | undefined, edge: EdgeContext): Caller | undefined | Promise<Caller | undefined>;
  /**
   * What an answer of SCIM proved of a directory token, which says nothing itself: the organization
   * that took it, or undefined for one that is refused.
   */
  learnDirectory(authorization: string | undefined, organizationId: string | undefined, edge: EdgeContext): void;
  /**
   * After the answer. A token that is not known yet is verified if it says that it is an app’s, and
   * if that is allowed.
   */
  agentOf(authorization: string, options: { readonly mayVerify: boolean }): Agent | undefined | Promise<Agent | undefined>;
  /** Throws `unauthenticated`, or `unavailable` while keys cannot be read. */
  require(authorization: string | undefined, edge: EdgeContext): Promise<Caller>;
};

const directoryToken = /^Bearer (tds_[\w-]{1,100})$/i;

type Known = Caller & { readonly authorization: string; readonly untilMs: number };

/** A forged token must not use up the limit of another tenant or key, so it is verified first. */
export function createCallers(verifier: Pick<TokenVerifier, 'verify'>): Callers {
  const knownByEnd = new LRUCache<string, Known>({ max: 10_000 });
  const knownOf = (authorization: string, { arrivedMs }: EdgeContext): Caller | undefined => {
    const known = knownByEnd.get(endOf(authorization));
    return known?.authorization === authorization && known.untilMs > arrivedMs ? known : undefined;
  };
  const verified = async (authorization: string | undefined): Promise<Caller> => {
    const token = /^(?:Bearer|DPoP) (\S+)$/i.exec(authorization ?? '')?.[1];
    if (authorization === undefined || token === undefined) throw failures.unauthenticated();
    const caller = callerOf(await verifier.verify(token));
    knownByEnd.set(endOf(authorization), { ...caller, authorization, untilMs: performance.now() + cachedMs });
    return caller;
  };
  return {
    of: (authorization, edge) => {
      if (authorization === undefined) return undefined;
      return knownOf(authorization, edge) ?? requestContext.run(edge, () => verified(authorization).catch(() => undefined));
    },
    learnDirectory: (authorization, organizationId, { arrivedMs }) => {
      const token = directoryToken.exec(authorization ?? '')?.[1];
      if (authorization === undefined || token === undefined) return;
      if (organizationId === undefined) return void knownByEnd.delete(endOf(authorization));
      const credential = `directory:${hash('sha256', token)}`;
      knownByEnd.set(endOf(authorization), {
        tenant: `organization:${organizationId}`,
        credential,
        agent: undefined,
        authorization,
        untilMs: arrivedMs + directoryCachedMs,
      });
    },
    agentOf: (authorization, { mayVerify }) => {
      const known = knownByEnd.get(endOf(authorization));
      if (known?.authorization === authorization) return known.agent;
      return mayVerify && saysItIsOfAnApp(authorization)
        ? verified(authorization).then(
            ({ agent }) => agent,
            () => undefined,
          )
        : undefined;
    },
    require: async (authorization, edge) =>
      (authorization === undefined ? undefined : knownOf(authorization, edge)) ?? requestContext.run(edge, () => verified(authorization)),
  };
}

/** The tenant is the scope of the token. A session without a scope counts for its user. */
function callerOf(claims: Claims): Caller {
  const { scope, sub, type } = claims;
  return {
    tenant: scope === undefined ? `user:${sub}` : `${scope.tenant}:${withoutUser(scope.id)}`,
    credential: type === 'session' ? undefined : credentialOf(claims),
    agent: agentIn(claims),
  };
}

/** A client that is known by a document has the same id in every project. */
function agentIn({ type, sub: userId, aud: clientId, iss, scope }: Claims): Agent | undefined {
  if (type !== 'projectApp' || scope === undefined) return undefined;
  const key = `${iss} ${clientId}`;
  return { clientId, userId, placeId: withoutUser(scope.id), key, keyOfPerson: `${key} ${userId}` };
}

function saysItIsOfAnApp(authorization: string): boolean {
  const [, payload, signature] = authorization.split('.');
  return payload !== undefined && signature !== undefined && Buffer.from(payload, 'base64url').includes('"projectApp"');
}

/**
 * A verified token is cached for so long. Whether it is revoked meanwhile is checked by its
 * service.
 */
const cachedMs = 30_000;
/** A directory asks every forty minutes, or at each change. */
const directoryCachedMs = 3_600_000;

/**
 * The cache key is the end of the signature, and the whole token is compared: hashing all of it
 * costs more than the limits.
 */
function endOf(authorization: string): string {
  return authorization.slice(-32);
}

/** The id of a token's scope ends in the user, behind the tenant. */
function withoutUser(id: string): string {
  return id.split(':').slice(0, 2).join(':');
}
