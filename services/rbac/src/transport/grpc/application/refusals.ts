import { subjectOf } from '@tessera/kernel/authorization';
import { type AppError, kinds } from '@tessera/kernel/errors';
import type { Arrival } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { writeAudit } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import { isTokenScope, parseScope, type Scope, splitTokenScope } from '@tessera/kernel/scope';
import { type Claims, credentialOf } from '@tessera/kernel/tokens';
import { LRUCache } from 'lru-cache';

type Refused = { readonly claims: Claims; readonly token: string; readonly arrival: Arrival };

/** The cause of a refusal that stands in the log of this scope, and not in that of the token. */
export class RefusedIn {
  readonly scope: Scope;
  constructor(scope: Scope) {
    this.scope = scope;
  }
}
export type NoteRefusal = (refused: Refused, refusal: AppError) => void;

type Deps = {
  readonly database: Database;
  readonly logger: { error(details: object, message: string): void };
  readonly clock: () => Date;
};

/** One row for credential, reason and scope in this time: refused calls must not fill the log. */
const onceInMs = 60_000;

/** The client's address as the gateway says it; of other callers the address of the connection. */
export function addressOf({ carrier, forwardedFor, peer }: Arrival): string {
  return carrier === 'gateway' && forwardedFor !== undefined ? forwardedFor : peer.replace(/:\d+$/, '');
}

/** Audits that a verified credential was refused. The call does not wait for it. */
export function createNoteRefusal({ database, logger, clock }: Deps): NoteRefusal {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: onceInMs });
  return ({ claims, token, arrival }, refusal) => {
    const askedIn = refusal.cause instanceof RefusedIn ? refusal.cause.scope : undefined;
    const once = `${credentialOf(claims)} ${refusal.key} ${askedIn?.id}`;
    if (noted.has(once)) return;
    noted.set(once, true);
    const record = {
      operation: arrival.path,
      action: 'decision.refused',
      outcome: 'refused' as const,
      code: kinds[refusal.kind].code,
      entry: { detail: { reason: refusal.key } },
    };
    const request = {
      id: newId(),
      transport: 'grpc' as const,
      ipAddress: addressOf(arrival),
      userAgent: '',
      language: 'en' as const,
      bearerToken: token,
      cookies: {},
      origin: undefined,
      consistencyToken: undefined,
      noCache: false,
    };
    const actor = { kind: 'token' as const, userId: claims.sub, claims, token, subject: subjectOf(claims) };
    const named = askedIn ?? (claims.scope && (isTokenScope(claims.scope) ? splitTokenScope(claims.scope).scope : claims.scope));
    const scope = named === undefined || named.tenant === 'platform' ? undefined : parseScope({ tenant: named.tenant, id: named.id });
    writeAudit(database, record, { actor, scope, request, now: clock() }).catch((err: unknown) =>
      logger.error({ err, operation: arrival.path }, 'a refusal could not be audited'),
    );
  };
}
