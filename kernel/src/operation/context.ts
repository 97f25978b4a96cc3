import type { Authorizer, CheckOptions, Subject } from '../authorization/index.ts';
import type { Language } from '../errors/index.ts';
import type { OutgoingEvent } from '../events/index.ts';
import type { Database, Past, Transaction } from '../postgres/index.ts';
import type { ParsedScope, Scope } from '../scope/index.ts';
import type { Claims, HolderType } from '../tokens/index.ts';
import type { Authorized } from './permission.ts';

/** `platformAccount`: a service account of the platform, which no tenant's door lets in. */
export type TokenType = HolderType | 'platformAccount';

export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly userId: string; readonly claims: Claims; readonly token: string; readonly subject: Subject };

/** What a transport knows of a request; nothing of it is believed but what the gateway signed. */
export type RequestFacts = {
  readonly id: string;
  readonly transport: 'rest' | 'graphql' | 'grpc';
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly bearerToken: string | undefined;
  /** The key that the caller has proven for this token (RFC 9449), as the gateway says. */
  readonly provenKey?: string | undefined;
  readonly cookies: Readonly<Record<string, string>>;
  readonly origin: string | undefined;
  readonly consistencyToken: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly noCache: boolean;
  /** How old an answer the caller accepts: `cache-control: max-stale` (RFC 9111, 5.2.1.2). */
  readonly maxStaleMs?: number | undefined;
};

export type Cookie = { readonly name: string; readonly value: string; readonly maxAgeSeconds: number; readonly secure: boolean };

export type ResponseEffects = {
  setCookie(cookie: Cookie): void;
  /** The tokens of this request's writes so far; a GraphQL request may have several. */
  readonly consistencyToken: string | undefined;
  addConsistencyToken(token: string): void;
  /** The answer was given before, to the same Idempotency-Key. */
  markRepeated?(): void;
  /** What was asked for is there already: 200 in place of 201. */
  markExisting?(): void;
  /** A replica has answered, or a part of it. */
  markPast?(): void;
};

export type OperationContext<Deps> = {
  readonly deps: Deps;
  readonly actor: Actor;
  readonly scope: ParsedScope | undefined;
  readonly request: RequestFacts;
  readonly response: ResponseEffects;
  readonly now: Date;
};

export type HandleContext<Deps> = OperationContext<Deps> & {
  readonly tx: Transaction;
  readonly authorized: Authorized | undefined;
  /** Written to the outbox with the change, delivered after the commit. */
  emit(...events: readonly OutgoingEvent[]): void;
  /** Adds the target and further detail to the audit row. Never a secret. */
  audit(entry: AuditEntry): void;
};

export type AuditEntry = {
  /** Another action than the operation's, for a call that changed nothing. */
  readonly action?: string;
  /** The scope of the change, when the request names none. */
  readonly scope?: Scope;
  readonly targetType?: string;
  readonly targetId?: string;
  readonly actorId?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The fields before the change, and after it where the result does not have them. */
  readonly before?: object;
  readonly after?: object;
  /** A refusal that commits what it found out. */
  readonly outcome?: 'refused';
  readonly code?: string;
  /** The row is written with the change, in another transaction. */
  readonly isWritten?: true;
};

export type Runtime<Deps> = {
  readonly service: string;
  readonly deps: Deps;
  readonly database: Database;
  readonly authorizer: Authorizer;
  /** Adds what the service knows of a scope beyond its name. */
  readonly resolveScope?: ((scope: ParsedScope) => ParsedScope | Promise<ParsedScope>) | undefined;
  readonly verifyToken: (token: string) => Promise<Claims>;
  /** Of the deployment: the first seals the answers kept for an Idempotency-Key, all open them. */
  readonly secrets: readonly [string, ...string[]];
  /** Delivers the events just committed, within a time limit; the relay delivers the rest. */
  readonly deliver: (eventIds: readonly string[]) => Promise<unknown>;
  readonly clock: () => Date;
  readonly countOperation?: (operation: string, outcome: string, seconds: number) => void;
  readonly logger: { error(details: object, message: string): void; warn(details: object, message: string): void };
};

/** The scope of an operation that declares one; without it the pipeline has refused the request. */
export function scopeOf(context: { readonly scope: ParsedScope | undefined }): ParsedScope {
  if (context.scope === undefined) throw new Error('this operation declares no scope');
  return context.scope;
}

export function callerOf(context: { readonly actor: Actor }): Extract<Actor, { kind: 'token' }> {
  if (context.actor.kind !== 'token') throw new Error('this operation does not ask for a token');
  return context.actor;
}

/**
 * Whether a replica may answer this caller, for `{ readOnly: true, past }`. Not who has just
 * written and says so, and not who goes past every memory.
 */
export function pastOf({ request, response }: Pick<OperationContext<unknown>, 'request' | 'response'>): Past | undefined {
  const { maxStaleMs, noCache, consistencyToken } = request;
  if (maxStaleMs === undefined || maxStaleMs === 0 || noCache || consistencyToken !== undefined) return undefined;
  return { maxAgeMs: maxStaleMs, note: () => response.markPast?.() };
}

export function freshnessOf({ request }: { readonly request: RequestFacts }): CheckOptions {
  const { noCache, consistencyToken, ipAddress } = request;
  return consistencyToken === undefined ? { noCache, ipAddress } : { noCache, ipAddress, consistencyToken };
}
