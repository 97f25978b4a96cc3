import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { Runtime } from '@tessera/kernel/operation';
import type { FastifyInstance } from 'fastify';
import { GraphQLError } from 'graphql';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { effectsOn, factsOf } from '../rest/index.ts';
import { isLonger, MOST_RESPONSE_BYTES, MOST_ROWS, ROWS_HEADER } from './budget.ts';
import { createGraphqlContext } from './context.ts';
import { createDocuments } from './documents.ts';
import { buildSubgraph, type Subgraph } from './schema.ts';

const Body = Compile(
  Type.Object({
    query: Type.String({ maxLength: 200_000 }),
    variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);

/** Pictures come as base64 in variables. The gateway limits all other documents to 1 MiB. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** Errors of GraphQL itself are the client's fault; all others keep their own kind. */
function appErrorOf(error: GraphQLError): unknown {
  const { originalError } = error;
  if (originalError instanceof AppError) return originalError;
  return originalError ?? failures.badInput({ extensions: { reason: error.message } });
}

function render(error: GraphQLError, language: Language, logger: Runtime<unknown>['logger'], requestId: string) {
  const fault = appErrorOf(error);
  if (!(fault instanceof AppError) || kinds[fault.kind].status === 500)
    logger.error({ err: fault, requestId, path: error.path }, 'a GraphQL field failed');
  return { ...renderGraphqlError(fault, language), ...(error.path === undefined ? {} : { path: error.path }) };
}

function rowsLeft(header: string | string[] | undefined): number {
  return header === undefined ? MOST_ROWS : Math.min(MOST_ROWS, Math.max(0, Number(header) || 0));
}

export function bindGraphql<Deps>(app: FastifyInstance, subgraph: Subgraph<Deps>, runtime: Runtime<Deps>): void {
  const documents = createDocuments(buildSubgraph(subgraph));

  app.post('/graphql', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const facts = factsOf(request, 'graphql');
    const show = (errors: readonly GraphQLError[]) => errors.map((error) => render(error, facts.language, runtime.logger, facts.id));
    const { body } = request;
    if (!Body.Check(body)) {
      void reply.status(400);
      return { errors: show([new GraphQLError('Send { query, variables, operationName }.')]) };
    }
    const prepared = documents.prepare(body.query, body.operationName ?? undefined);
    if ('faults' in prepared) {
      void reply.status(400);
      return { errors: show(prepared.faults) };
    }
    const mostRows = rowsLeft(request.headers[ROWS_HEADER]);
    const bodyBytes = Number(request.headers['content-length'] ?? 0);
    const context = createGraphqlContext(runtime, facts, effectsOn(reply), { rows: mostRows, bodyBytes });
    reply.raw.once('close', () => {
      // Also after a whole response: an error for each request costs as much as reading a row.
      if (!reply.raw.writableFinished) context.budget.stop(failures.badInput());
    });
    const executed = await Promise.race([prepared.query(undefined, context, body.variables ?? {}), context.budget.stopped]);
    void reply.header(ROWS_HEADER, context.budget.used);
    const refuse = (reason: AppError) => {
      void reply.header(ROWS_HEADER, mostRows + 1);
      return { data: null, errors: [renderGraphqlError(reason, facts.language)] };
    };
    if (executed instanceof AppError) return refuse(executed);
    const { data, errors } = executed;
    if (isLonger(data, MOST_RESPONSE_BYTES)) return refuse(failures.answerTooLarge());
    return { data, ...(errors === undefined || errors.length === 0 ? {} : { errors: show(errors) }) };
  });
}
