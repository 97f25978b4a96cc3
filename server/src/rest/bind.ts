import { failures, reasons } from '@tessera/kernel/errors';
import {
  deprecationHeaders,
  entityTagOf,
  loadRelation,
  type Operation,
  type OperationContext,
  projectOutput,
  type Runtime,
  run,
  validatorOf,
} from '@tessera/kernel/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { effectsOn, factsOf } from './facts.ts';
import { invalidJson } from './json.ts';
import { readBody, readQuery } from './query.ts';

type RestRoute = Extract<Operation<never>['rest'], { method: string }>;

export function bindRest<Deps>(app: FastifyInstance, operations: readonly Operation<Deps>[], runtime: Runtime<Deps>): void {
  for (const operation of operations) {
    const { rest } = operation;
    if (!('method' in rest)) continue;
    validatorOf(operation.input);
    app.route({
      method: rest.method,
      url: rest.path,
      ...(rest.bodyLimitBytes === undefined ? {} : { bodyLimit: rest.bodyLimitBytes }),
      handler: (request, reply) => answer(operation, rest, runtime, request, reply),
    });
  }
}

function inputOf<Deps>({ input }: Operation<Deps>, { method }: RestRoute, { query, body, params }: FastifyRequest): unknown {
  if (body === invalidJson) throw failures.invalidJson();
  if (method === 'GET' || method === 'DELETE') {
    if (body !== undefined && body !== null)
      throw failures.validation('body', { en: `is not read on ${method}`, de: `wird bei ${method} nicht gelesen` });
    return readBody(readQuery(input, query), params);
  }
  const [unexpected] = Object.keys(typeof query === 'object' && query !== null ? query : {});
  if (unexpected !== undefined) throw failures.validation(unexpected, reasons.unknownInQuery);
  return readBody(body, params);
}

async function answer<Deps>(
  operation: Operation<Deps>,
  rest: RestRoute,
  runtime: Runtime<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (operation.deprecated !== undefined) void reply.headers(deprecationHeaders(operation.deprecated));
  const effects = effectsOn(reply);
  const { output, input, context } = await run(
    runtime,
    operation,
    () => inputOf(operation, rest, request),
    factsOf(request, 'rest'),
    effects,
  );
  if (input.relations !== undefined) await attachRelations(operation, input.relations, output, context, runtime);
  const etag = entityTagOf(output);
  void reply.status(effects.isExisting ? 200 : (rest.status ?? 200));
  if (etag !== undefined) void reply.header('etag', etag);
  if (rest.download === undefined) return { success: true, data: output };
  void reply.header('content-disposition', `attachment; filename="${rest.download}"`).type('application/json; charset=utf-8');
  return JSON.stringify(output, null, 2);
}

type WritableRow = Record<string, unknown>;
function isRow(value: unknown): value is WritableRow {
  return typeof value === 'object' && value !== null;
}

function rowsOf(output: unknown): readonly WritableRow[] {
  const items = isRow(output) ? output.items : undefined;
  return Array.isArray(items) ? items.filter(isRow) : isRow(output) ? [output] : [];
}

async function attachRelations<Deps>(
  { relations = {} }: Operation<Deps>,
  asked: readonly string[],
  output: unknown,
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<void> {
  const rows = rowsOf(output);
  await Promise.all(
    [...new Set(asked)].map(async (name) => {
      const relation = relations[name];
      if (relation === undefined)
        throw failures.validation('relations', { en: `${name} is not a relation here`, de: `${name} ist hier keine Beziehung` });
      const values = rows.length === 0 ? [] : await loadRelation(relation, rows, context, runtime);
      rows.forEach((row, index) => {
        const value = values[index];
        if (Error.isError(value)) throw value;
        row[name] = projectOutput(relation.schema, value);
      });
    }),
  );
}
