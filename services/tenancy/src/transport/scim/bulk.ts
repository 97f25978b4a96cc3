/**
 * Many operations in one request (RFC 7644, section 3.7). Each is run as if it had come alone: the
 * same operation, authority, audit and events. POSTs that refer to nothing are run several at a
 * time, as if a client had sent them so, all others one after the other.
 */
import { type AppError, failures } from '@tessera/kernel/errors';
import { locationOf } from '../../directory/user.ts';
import {
  type BulkOperation,
  bulkResponseSchema,
  completion,
  idIn,
  isAlone,
  type Made,
  planOf,
  readBulk,
  resolved,
  type Step,
  targetOf,
} from '../../domain/scim/bulk.ts';
import type { Json } from '../../domain/scim/resource.ts';
import { errors } from '../../errors.ts';
import { type Answer, type Asked, answer, type Caller, requirePermission } from './answer.ts';
import { failureOf, type ScimFailure } from './messages.ts';
import { served } from './served.ts';

/** Below the time that a gateway waits for an answer. */
const longestSeconds = 20;
/**
 * Of an organization in this process. The gateway counts the operations when they are answered;
 * this bounds how many are under way uncounted.
 */
const mostAtOnce = 2;
/** Of one bulk request. People who are sent together are made together. */
const operationsAtOnce = 20;

export type BulkAnswer = Answer & {
  /** Those that were performed. */
  readonly count: number;
  /** For the log of requests: the first failure. */
  readonly failure: Json | undefined;
};

export type Bulk = {
  /** `isGone`: the client waits for no answer any more, so that the rest is not begun. */
  run(body: unknown, caller: Caller, isGone: () => boolean): Promise<BulkAnswer>;
};

export function createBulk(): Bulk {
  const underWay = new Map<string, number>();
  return {
    async run(body, caller, isGone) {
      await requirePermission(caller);
      const { operations, failOnErrors } = readBulk(body);
      const { organizationId } = caller;
      const before = underWay.get(organizationId) ?? 0;
      if (before >= mostAtOnce) throw failures.rateLimited(1);
      underWay.set(organizationId, before + 1);
      try {
        return await runAll(operations, { caller, failOnErrors, isGone });
      } finally {
        const left = (underWay.get(organizationId) ?? 1) - 1;
        if (left === 0) underWay.delete(organizationId);
        else underWay.set(organizationId, left);
      }
    },
  };
}

type Running = { readonly caller: Caller; readonly failOnErrors: number; readonly isGone: () => boolean };
type Result = { readonly answer?: Answer | undefined; readonly failure?: ScimFailure; readonly id?: string | undefined };

async function runAll(operations: readonly BulkOperation[], { caller, failOnErrors, isGone }: Running): Promise<BulkAnswer> {
  const endsAt = performance.now() + longestSeconds * 1_000;
  const results = new Map<number, Result>();
  const made = new Map<string, string | null>();
  let [failed, count] = [0, 0];
  const isOver = () => failed >= failOnErrors || isGone();
  for (const steps of turnsOf(operations, failOnErrors)) {
    const left = [...steps];
    const work = async () => {
      for (let step = left.shift(); step !== undefined && !isOver(); step = left.shift()) await perform(step);
    };
    await Promise.all(Array.from({ length: Math.min(operationsAtOnce, steps.length) }, work));
  }
  const answered = [...results].toSorted(([one], [other]) => one - other);
  const shown = answered.map(([index, result]) => show(operations[index] as BulkOperation, result, caller));
  return { status: 200, body: { schemas: [bulkResponseSchema], Operations: shown }, count, failure: summaryOf(answered, operations) };

  async function perform(step: Step): Promise<void> {
    const operation = operations[step.index];
    const before = results.get(step.index);
    if (operation === undefined || (step.isCompletion && before?.failure !== undefined)) return;
    const isLate = performance.now() > endsAt;
    const result = isLate ? refused(errors.scimNotBegun({ params: { limit: longestSeconds } })) : await runOne(operation, step);
    if (!isLate) count += 1;
    if (result.failure !== undefined) failed += 1;
    results.set(step.index, { ...before, ...result, ...completed(before, result) });
    if (operation.method === 'POST' && operation.bulkId !== undefined)
      made.set(operation.bulkId, result.answer?.id ?? before?.answer?.id ?? null);
  }

  async function runOne(operation: BulkOperation, step: Step): Promise<Result> {
    try {
      return { answer: await ask(operation, step, { caller, made, id: results.get(step.index)?.answer?.id }) };
    } catch (error) {
      return refused(error);
    }
  }
}

/**
 * The steps that are run together, in their order. When a number of failures ends the request, each
 * is run alone, so that no more are begun.
 */
function turnsOf(operations: readonly BulkOperation[], failOnErrors: number): readonly (readonly Step[])[] {
  const turns: Step[][] = [];
  let isOpen = false;
  for (const step of planOf(operations)) {
    const operation = operations[step.index];
    const isFree = failOnErrors === Number.POSITIVE_INFINITY && !step.isCompletion && operation !== undefined && isAlone(operation);
    if (isFree && isOpen) turns.at(-1)?.push(step);
    else turns.push([step]);
    isOpen = isFree;
  }
  return turns;
}

/** The answer of the POST, with the version after its completion. */
function completed(before: Result | undefined, { answer: after }: Result): Result {
  if (before?.answer === undefined || after?.etag === undefined) return {};
  return { answer: { ...before.answer, etag: after.etag } };
}

function refused(error: unknown): Result {
  return { failure: failureOf(error) };
}

type Performing = { readonly caller: Caller; readonly made: Made; readonly id: string | undefined };

function ask(operation: BulkOperation, { without, isCompletion }: Step, { caller, made, id }: Performing): Promise<Answer> {
  if (isCompletion) return send({ method: 'PATCH', path: `${operation.path}/${id}`, body: completion(operation, made) }, caller);
  if (operation.method === 'POST' && operation.bulkId === undefined) throw needsBulkId();
  const { path, data } = resolved(operation, without, made);
  const { endpoint } = targetOf({ method: operation.method, path });
  // Bulk, search and discovery are no operations on a resource.
  if (!served.some(({ type }) => type.endpoint === `/${endpoint}`)) throw failures.routeNotFound();
  return send({ method: operation.method, path, body: data, ifMatch: operation.version }, caller);
}

function needsBulkId(): AppError {
  return failures.validation('bulkId', { en: 'is required for POST', de: 'wird bei POST benötigt' });
}

type Request = Pick<Asked, 'method' | 'path' | 'body'> & { readonly ifMatch?: string | undefined };

/** The answer has no resource, so its members are not read. */
function send({ ifMatch, ...request }: Request, caller: Caller): Promise<Answer> {
  return answer({ ...request, query: { excludedAttributes: 'members' }, ifMatch, ifNoneMatch: undefined }, caller);
}

function show({ method, bulkId, path }: BulkOperation, { answer: given, failure }: Result, caller: Caller): Json {
  const location = given?.location ?? locationIn(path, given?.id, caller);
  return {
    method,
    ...(bulkId === undefined ? {} : { bulkId }),
    ...(given?.etag === undefined ? {} : { version: given.etag }),
    ...(location === undefined ? {} : { location }),
    status: String(failure?.status ?? given?.status),
    ...(failure === undefined ? {} : { response: failure.body }),
  };
}

function locationIn(path: string, known: string | undefined, { runtime, organizationId }: Caller): string | undefined {
  const id = known ?? idIn(path);
  const kind = served.find(({ type }) => path.startsWith(`${type.endpoint}/`));
  return id === undefined || kind === undefined ? undefined : locationOf(runtime.deps, organizationId, kind.type) + id;
}

function summaryOf(answered: readonly (readonly [number, Result])[], operations: readonly BulkOperation[]): Json | undefined {
  const failed = answered.filter(([, { failure }]) => failure !== undefined);
  const [index, result] = failed[0] ?? [];
  if (index === undefined || result?.failure === undefined) return undefined;
  const { method, path } = operations[index] as BulkOperation;
  const { status, body } = result.failure;
  const first = `the first, number ${index + 1}, ${method} ${path.slice(0, 60)}: ${status} ${body['detail']}`;
  return { scimType: body['scimType'], detail: `${failed.length} of ${operations.length} operations failed; ${first}` };
}
