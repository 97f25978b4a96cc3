import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { GraphQLFormattedError } from 'graphql';
import type { Dispatcher } from 'undici';
import type { EdgeContext } from '../edge/context.ts';
import { inwardHeaders } from '../edge/headers.ts';
import { upstreamFailure, wasConnectionLost, wasNeverSent } from '../proxy/failure.ts';
import { restReplica, type ServiceName, serviceNames, type Upstream, type Upstreams } from '../proxy/upstream.ts';
import type { SubgraphAnswer, SubgraphRequest } from './federation.ts';
import { rootKeys } from './root-keys.ts';

/** What belongs to one GraphQL request of a client, shared by everything that is asked for it. */
export type GraphqlContext = {
  readonly edge: EdgeContext;
  readonly rawHeaders: readonly string[];
  readonly connection: string | undefined;
  /** Headers of the services' answers that the client must get: cookies, the consistency token. Flat pairs. */
  readonly answerHeaders: string[];
  /** Why the service that was given the whole document failed: then nobody is asked again. */
  failure?: unknown;
};

export type Asking = {
  readonly upstreams: Upstreams;
  readonly credential: (service: ServiceName) => string;
  readonly timeoutMs: number;
  readonly logger: { error(details: object, message: string): void };
};

type Posted = { readonly body: string /** A query, not a mutation. */; readonly mayRepeat: boolean };
type Answer = { readonly status: number; readonly body: Buffer };

const passedBack = new Set(['set-cookie', 'x-consistency-token']);

/** POST /graphql at one replica; a replica that is not there costs nothing where another is. */
export const postGraphql = async (
  asking: Asking,
  name: ServiceName,
  context: GraphqlContext,
  { body, mayRepeat }: Posted,
): Promise<Answer> => {
  const upstream = asking.upstreams[name];
  for (let attempt = 1; ; attempt += 1) {
    const replica = upstream.next();
    try {
      return await send(replica.dispatcher, asking, upstream, context, body);
    } catch (error) {
      if (wasNeverSent(error)) restReplica(replica);
      const isSafe = wasNeverSent(error) || (mayRepeat && wasConnectionLost(error));
      if (!isSafe || attempt >= Math.max(upstream.replicas.length, 2)) throw upstreamFailure(name, error);
    }
  }
};

const ownHeaders = new Set(['content-type', 'accept', 'content-encoding']);

const send = async (dispatcher: Dispatcher, asking: Asking, { name }: Upstream, context: GraphqlContext, body: string): Promise<Answer> => {
  const given = inwardHeaders(context.rawHeaders, context.connection, context.edge, asking.credential(name));
  const headers = ['content-type', 'application/json'];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const header = given[index] ?? '';
    if (!ownHeaders.has(header)) headers.push(header, given[index + 1] ?? '');
  }
  const answer = await dispatcher.request({
    path: '/graphql',
    method: 'POST',
    headers,
    body,
    headersTimeout: asking.timeoutMs,
    bodyTimeout: asking.timeoutMs,
  });
  for (const [header, value] of Object.entries(answer.headers)) {
    if (!passedBack.has(header) || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) context.answerHeaders.push(header, one);
  }
  return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
};

/** For the planner: a service that fails, fails only the fields that it was asked for, each with the standard error at its path. */
export const createAsk =
  (asking: Asking) =>
  async ({ service, query, variables, context }: SubgraphRequest<GraphqlContext>): Promise<SubgraphAnswer> => {
    try {
      if (context.failure !== undefined) throw context.failure;
      const name = serviceNames.find((known) => known === service);
      if (name === undefined) throw failures.unavailable(service);
      const { status, body } = await postGraphql(asking, name, context, {
        body: JSON.stringify({ query, variables }),
        mayRepeat: !query.startsWith('mutation'),
      });
      const answer = parseAnswer(body);
      if (answer === undefined || (status !== 200 && answer.errors === undefined))
        throw failures.badGateway(service, new Error(`status ${status}`));
      // A plan that its service does not understand is our fault, not the client's.
      if (status !== 200) throw failures.badGateway(service, new Error(`status ${status}: ${answer.errors?.[0]?.message}`));
      return answer;
    } catch (error) {
      asking.logger.error({ err: error, service, requestId: context.edge.requestId }, 'a service failed a part of a query');
      return { errors: failuresOf(error, query, variables, context.edge.language) };
    }
  };

export const parseAnswer = (body: Buffer): SubgraphAnswer | undefined => {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isAnswer(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const isAnswer = (value: unknown): value is SubgraphAnswer =>
  typeof value === 'object' && value !== null && ('data' in value || ('errors' in value && Array.isArray(value.errors)));

/** One error for each field that stays empty: of the root, or of each entity that was asked for. */
const failuresOf = (
  thrown: unknown,
  query: string,
  variables: SubgraphRequest<never>['variables'],
  language: Language,
): GraphQLFormattedError[] => {
  const error = thrown instanceof AppError && kinds[thrown.kind].status >= 500 ? thrown : failures.internal({ cause: thrown });
  const rendered = renderGraphqlError(error, language);
  const { representations } = variables;
  if (!Array.isArray(representations)) return rootKeys(query).map((key) => ({ ...rendered, path: [key] }));
  return representations.flatMap((_, index) => rootKeys(query).map((key) => ({ ...rendered, path: ['_entities', index, key] })));
};
