import type { FastifyInstance } from 'fastify';
import { type DocumentNode, GraphQLError, parse, validate } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError, failures, kinds, type Language, renderGraphqlError } from '../errors/index.ts';
import type { Runtime } from '../operation/index.ts';
import { effectsOn, factsOf } from '../rest/index.ts';
import { createGraphqlContext } from './context.ts';
import { buildSubgraph, type Subgraph } from './schema.ts';

const Body = Compile(
  Type.Object({
    query: Type.String({ maxLength: 200_000 }),
    variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);

/** Pictures come as base64 in variables; what other documents may be is for the gateway, the only one who comes through this door. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

type Prepared = CompiledQuery | { readonly faults: readonly GraphQLError[] };

const faultOf = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('The document could not be read.');

/** A failure of the schema's own making (document, variables) is the client's; everything else goes by the error vocabulary. */
const appErrorOf = (error: GraphQLError): unknown => {
  const { originalError } = error;
  if (originalError instanceof AppError) return originalError;
  return originalError ?? failures.badInput({ extensions: { reason: error.message } });
};

const render = (error: GraphQLError, language: Language, logger: Runtime<unknown>['logger'], requestId: string) => {
  const fault = appErrorOf(error);
  if (!(fault instanceof AppError) || kinds[fault.kind].status === 500)
    logger.error({ err: fault, requestId, path: error.path }, 'a GraphQL field failed');
  return { ...renderGraphqlError(fault, language), ...(error.path === undefined ? {} : { path: error.path }) };
};

/** POST /graphql on the inner door: one compiled function for each document, kept in a bounded cache. */
export const bindGraphql = <Deps>(app: FastifyInstance, subgraph: Subgraph<Deps>, runtime: Runtime<Deps>): void => {
  const schema = buildSubgraph(subgraph);
  const documents = new LRUCache<string, Prepared>({ max: 1_000 });

  const prepare = (query: string, operationName: string | undefined): Prepared => {
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens: 20_000, noLocation: true });
    } catch (error) {
      return { faults: [faultOf(error)] };
    }
    const faults = validate(schema, document);
    if (faults.length > 0) return { faults };
    const compiled = compileQuery(schema, document, operationName);
    return isCompiledQuery(compiled) ? compiled : { faults: compiled.errors?.map(faultOf) ?? [] };
  };

  app.post('/graphql', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const facts = factsOf(request, 'graphql');
    const show = (errors: readonly GraphQLError[]) => errors.map((error) => render(error, facts.language, runtime.logger, facts.id));
    const { body } = request;
    if (!Body.Check(body)) {
      void reply.status(400);
      return { errors: show([new GraphQLError('Send { query, variables, operationName }.')]) };
    }
    const operationName = body.operationName ?? undefined;
    const key = `${operationName ?? ''}\n${body.query}`;
    let prepared = documents.get(key);
    if (!prepared) {
      prepared = prepare(body.query, operationName);
      documents.set(key, prepared);
    }
    if ('faults' in prepared) {
      void reply.status(400);
      return { errors: show(prepared.faults) };
    }
    const context = createGraphqlContext(runtime, facts, effectsOn(reply));
    const { data, errors } = await prepared.query(undefined, context, body.variables ?? {});
    return { data, ...(errors === undefined || errors.length === 0 ? {} : { errors: show(errors) }) };
  });
};
