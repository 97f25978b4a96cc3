import { momentToken, subjectOf } from '../authorization/index.ts';
import { type AppError, asAppError, failures, kinds, reasons } from '../errors/index.ts';
import { isTokenScope, type ParsedScope, parseScope, splitTokenScope } from '../scope/index.ts';
import { withSpan } from '../telemetry/index.ts';
import { type Claims, holderTypeOf, isForAnotherApi, isWithin } from '../tokens/index.ts';
import { writeAudit } from './audit.ts';
import { changesOf } from './changes.ts';
import {
  type Actor,
  type AuditEntry,
  freshnessOf,
  type OperationContext,
  pastOf,
  type RequestFacts,
  type ResponseEffects,
  type Runtime,
  type TokenType,
} from './context.ts';
import type { Access, Operation, OperationInput } from './declaration.ts';
import { claimKey, keepAnswer, type Once, onceOf, recallAnswer } from './idempotency.ts';
import type { Authorized } from './permission.ts';
import { projectOutput } from './project.ts';
import { rememberScope } from './relations.ts';
import { assertSupport } from './support.ts';
import { commitUnit, type Unit } from './unit.ts';
import { validate } from './validate.ts';

/**
 * identify → validate → verify → authorize → assure → transact (tenant scope set locally) → handle
 * → audit and outbox → commit → project the output. Without a token a malformed request is a 401,
 * so the caller is identified first.
 */
export function run<Deps>(
  runtime: Runtime<Deps>,
  operation: Operation<Deps>,
  readInput: () => unknown,
  request: RequestFacts,
  response: ResponseEffects,
): Promise<Outcome<Deps>> {
  const { deps, clock } = runtime;
  const context: Mutable<OperationContext<Deps>> = {
    deps,
    request,
    response,
    now: clock(),
    actor: { kind: 'anonymous' },
    scope: undefined,
  };
  const startedAt = performance.now();
  const count = (outcome: string) => runtime.countOperation?.(operation.name, outcome, (performance.now() - startedAt) / 1_000);
  return withSpan(operation.name, { kind: 'server' }, async (note) => {
    let reached: Reached = 'nothing';
    try {
      context.actor = await identify(operation.access, request, runtime);
      const input = accept(operation, readInput());
      const named = scopeOfInput(operation, input);
      context.scope = named === undefined || runtime.resolveScope === undefined ? named : await runtime.resolveScope(named);
      note({ 'tessera.tenant': context.scope?.tenant, 'tessera.organization': context.scope?.organizationId });
      verify(operation, context);
      assertSupport(operation, context);
      const authorized = await authorize(operation, input, context, runtime);
      assure(operation, context);
      reached = 'admitted';
      const once = request.idempotencyKey === undefined ? undefined : onceOf(operation, input, context, runtime.secrets);
      const before = once === undefined ? undefined : await recallAnswer(runtime.database, once);
      let changed: Changed;
      if (before === undefined) {
        const prepared = operation.prepare === undefined ? undefined : await operation.prepare(input, context);
        changed = await transact(operation, input, { context, authorized, prepared, once }, runtime);
      } else changed = { result: before.result, eventIds: [], isRepeated: true };
      const { result, eventIds } = changed;
      if (changed.isRepeated === true) response.markRepeated?.();
      reached = 'committed';
      if (eventIds.length > 0) await runtime.deliver(eventIds);
      if (operation.kind === 'mutation' && response.consistencyToken === undefined) response.addConsistencyToken(momentToken(context.now));
      const completed = operation.complete ? await operation.complete(result, context, input) : result;
      const output = projectOutput(operation.output, completed);
      // REST says at once which relations it wants; GraphQL may ask any row later.
      if (request.transport !== 'rest' || input.relations !== undefined) rememberScopes(output, context.scope);
      count('ok');
      return { output, input, context };
    } catch (thrown) {
      const error = asAppError(thrown);
      const { code } = kinds[error.kind];
      note({ 'error.type': code });
      count(code);
      await noteRefusal(operation, error, context, runtime, reached);
      throw thrown;
    }
  });
}

type Reached = 'nothing' | 'admitted' | 'committed';
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Outcome<Deps> = { output: unknown; input: OperationInput; context: OperationContext<Deps> };

/**
 * Verifies the token when the operation uses the caller. An invalid one is refused, but where the
 * caller may be anonymous it counts as none.
 */
export async function identify<Deps>(access: Access<OperationInput, Deps>, request: RequestFacts, runtime: Runtime<Deps>): Promise<Actor> {
  if ('open' in access) return { kind: 'anonymous' };
  if (request.bearerToken === undefined) {
    if ('optional' in access) return { kind: 'anonymous' };
    throw failures.unauthenticated();
  }
  try {
    const claims = await runtime.verifyToken(request.bearerToken);
    if (isForAnotherApi(claims)) throw failures.unauthenticated();
    if (claims.keyThumbprint !== undefined && claims.keyThumbprint !== request.provenKey) throw failures.proofRequired();
    const networks = claims.service?.networks;
    if (networks !== undefined && !isWithin(networks, request.ipAddress)) throw failures.networkNotAllowed();
    return { kind: 'token', userId: claims.sub, claims, token: request.bearerToken, subject: subjectOf(claims) };
  } catch (error) {
    if ('optional' in access && asAppError(error).kind === 'unauthenticated') return { kind: 'anonymous' };
    throw error;
  }
}

function accept<Deps>(operation: Operation<Deps>, rawInput: unknown): OperationInput {
  validate(operation.input, rawInput);
  // The schema has just been checked: from here on the input has its declared shape.
  return rawInput as OperationInput;
}

function scopeOfInput<Deps>(operation: Operation<Deps>, input: OperationInput): ParsedScope | undefined {
  const { scope } = input;
  if (operation.scopes === 'none' || scope === undefined) return undefined;
  if (!operation.scopes.includes(scope.tenant)) throw failures.validation('scope.tenant', reasons.oneOf(operation.scopes));
  return parseScope(isTokenScope(scope) ? splitTokenScope(scope).scope : scope);
}

/** Email verification gating by the isVerified claim. Keys and apps count as verified. */
export function verify<Deps>({ kind, verification }: Operation<Deps>, { actor, scope }: OperationContext<Deps>): void {
  if (actor.kind === 'anonymous' || actor.claims.isVerified !== false || kind === 'query' || typeof verification === 'object') return;
  if (verification !== 'by-scope' || scope?.organizationId !== undefined) throw failures.unverified();
}

function tokenTypeOf(claims: Claims): TokenType {
  return claims.scope?.tenant === 'platform' ? 'platformAccount' : holderTypeOf(claims);
}

/** 403 without the permission; 404 for a missing target, to callers with permission only. */
export async function authorize<Deps>(
  operation: Operation<Deps>,
  input: OperationInput,
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<Authorized | undefined> {
  const { access } = operation;
  const { actor, scope } = context;
  if ('open' in access || actor.kind === 'anonymous') return undefined;
  if (!('permission' in access)) {
    if (!(access.tokens ?? ['session']).includes(tokenTypeOf(actor.claims))) throw failures.forbidden();
    if ('signedIn' in access && access.admit !== undefined) await access.admit(context, input);
    return undefined;
  }
  if (scope === undefined) throw failures.validation('scope', reasons.required);
  const { permission } = access;
  // Who was linked by a provider, or is a supporter, has not shown that they are the person.
  const isWhole = actor.claims.type === 'session' && actor.subject.within === undefined && actor.claims.support === undefined;
  if (isWhole && access.oneself?.(input) === actor.userId) return undefined;
  const target = access.target ? await access.target(input, context) : {};
  const [resource = '', action = ''] = permission.split(':');
  const check = { subject: actor.subject, scope: { tenant: scope.tenant, id: scope.id }, resource, action, target: target ?? {} };
  const [decision] = await runtime.authorizer.check([check], freshnessOf(context));
  if (target === undefined && (decision?.authorized === true || decision?.reason === 'PERMISSION_FOUND_CONDITION_NOT_MET'))
    throw failures.notFound(resource);
  if (decision?.authorized !== true) throw failures.demanded(decision) ?? failures.forbidden();
  return { permission, target: target ?? {} };
}

/**
 * Rights come first, then the second factor, then the age of the sign-in. Keys and apps pass. A
 * service account cannot show that a person is present: it may do what its maker has named, and
 * what is declared for its kind. A token by exchange leaves nothing behind that acts later.
 */
export function assure<Deps>(
  { access, assurance, freshness, kind, leaves }: Operation<Deps>,
  { actor, now }: OperationContext<Deps>,
): void {
  if (actor.kind === 'anonymous') return;
  // What it left behind would outlive the exchange, and not know who acted.
  if (actor.claims.actors !== undefined && kind === 'mutation' && leaves !== 'nothing') throw failures.delegated();
  const { service } = actor.claims;
  const isForItsKind = 'tokens' in access && access.tokens?.includes(tokenTypeOf(actor.claims)) === true;
  if (service !== undefined && (assurance ?? freshness) !== undefined && !isForItsKind) {
    if (!('permission' in access) || !service.elevated.includes(access.permission)) throw failures.notElevated();
  }
  if (actor.claims.type !== 'session') return;
  // What the person has outside of the organization that linked them is theirs to open.
  const isPersonal = !('permission' in access || 'open' in access) && !('whenLinked' in access);
  if (actor.subject.within !== undefined && isPersonal) throw failures.freshSignInRequired();
  const { acr, amr = [], auth_time: authTime = 0 } = actor.claims;
  if (assurance !== undefined && acr !== assurance) throw failures.secondFactorRequired();
  // `org`: an organization's provider alone has shown a person who has ways of their own.
  const isOld = freshness !== undefined && now.getTime() / 1_000 - authTime > freshness.minutes * 60;
  if (isOld || (freshness !== undefined && amr.includes('org'))) throw failures.freshSignInRequired();
}

type Admitted<Deps> = {
  readonly context: OperationContext<Deps>;
  readonly authorized: Authorized | undefined;
  readonly prepared: unknown;
  readonly once: Once | undefined;
};
type Changed = { readonly result: unknown; readonly eventIds: readonly string[]; readonly isRepeated?: boolean };

/**
 * The handler's writes, the outbox and the audit row commit together or not at all, and with them
 * the answer for an Idempotency-Key.
 */
async function transact<Deps>(
  operation: Operation<Deps>,
  input: OperationInput,
  { context, authorized, prepared, once }: Admitted<Deps>,
  runtime: Runtime<Deps>,
): Promise<Changed> {
  const isolation = operation.isolation ?? 'scope';
  if (typeof isolation === 'object' && 'none' in isolation) {
    return {
      result: await operation.handle(input, { ...context, authorized, ...outsideTransaction }, prepared),
      eventIds: [],
    };
  }
  let isRepeated = false;
  const work = async ({ tx, emit, audit }: Unit) => {
    const before = once === undefined ? undefined : await claimKey(tx, once);
    isRepeated = before !== undefined;
    if (before !== undefined) return before.result;
    const entries: AuditEntry[] = [];
    const result = await operation.handle(
      input,
      { ...context, authorized, tx, emit, audit: (entry) => void entries.push(entry) },
      prepared,
    );
    if (typeof operation.audit === 'string') {
      const entry = mergeEntries(entries);
      const record = { operation: operation.name, action: operation.audit, outcome: 'ok', entry } as const;
      if (!entry.isWritten) audit({ ...record, changes: changesOf(operation, input, result, entry) });
    }
    if (once !== undefined) await keepAnswer(tx, once, result);
    return result;
  };
  const readOnly = operation.kind === 'query' && typeof operation.audit === 'object';
  const options = { readOnly, past: readOnly ? pastOf(context) : undefined };
  const { database } = runtime;
  const scope = isolation === 'scope' ? context.scope : undefined;
  const committed = commitUnit(
    (run) => (scope === undefined ? database.transaction(run, options) : database.scoped(scope, run, options)),
    context,
    work,
  );
  return once === undefined ? committed : { ...(await committed), isRepeated };
}

function refuse(): never {
  throw new Error('this operation declares that it runs without a transaction');
}
const noTransaction = { query: refuse, one: refuse, execute: refuse, last: refuse, afterCommit: refuse, em: refuse };
const outsideTransaction = { tx: noTransaction, emit: refuse, audit: () => undefined };

function mergeEntries(entries: readonly AuditEntry[]): AuditEntry {
  const merged = Object.assign({}, ...entries);
  return { ...merged, detail: Object.assign({}, ...entries.map(({ detail }) => detail ?? {})) };
}

const refusals: readonly AppError['kind'][] = [
  'forbidden',
  'unverified',
  'second-factor',
  'stale-sign-in',
  'new-password',
  'connection',
  'suspended',
];

/**
 * Audits a refusal, and a change that failed after its caller was let in. A request from an unknown
 * caller is only counted, except at a sign-in: it is free, and a row is kept for months. What has
 * committed has its row. A failed write is logged: it makes no 500 of the refusal.
 */
async function noteRefusal<Deps>(
  operation: Operation<Deps>,
  error: AppError,
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
  reached: Reached,
): Promise<void> {
  const { status, code } = kinds[error.kind];
  const isSignIn =
    error.kind === 'unauthenticated' && ('open' in operation.access || 'optional' in operation.access || context.actor.kind === 'token');
  const isRefusal = error.audited !== undefined || refusals.includes(error.kind) || (isSignIn && typeof operation.audit === 'string');
  // A full queue is no fault: the queue itself logs its length, once a second.
  if (status >= 500 && error.kind !== 'busy')
    runtime.logger.error({ err: error, operation: operation.name, requestId: context.request.id }, 'operation failed');
  const isFailure = reached === 'admitted' && operation.kind === 'mutation' && context.actor.kind === 'token';
  if ((!isRefusal && !isFailure) || reached === 'committed') return;
  const action = typeof operation.audit === 'string' ? operation.audit : `${operation.name}.refused`;
  try {
    await writeAudit(
      runtime.database,
      { operation: operation.name, action, outcome: isRefusal ? 'refused' : 'failed', code, entry: error.audited ?? {} },
      context,
    );
  } catch (cause) {
    runtime.logger.error({ err: cause, operation: operation.name }, 'a refusal could not be audited');
  }
}

function rememberScopes(output: unknown, scope: ParsedScope | undefined): void {
  rememberScope(output, scope);
  if (typeof output === 'object' && output !== null && 'items' in output) rememberScope(output.items, scope);
}
