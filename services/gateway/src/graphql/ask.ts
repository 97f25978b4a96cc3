import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { GraphQLFormattedError } from 'graphql';
import type { EdgeContext } from '../edge/context.ts';
import { type ServiceName, serviceNames, type Upstreams } from '../proxy/upstream.ts';
import type { SubgraphAnswer, SubgraphRequest } from './federation.ts';
import { postGraphql } from './post.ts';
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

/** For the planner: a service that fails, fails only the fields that it was asked for, each with the standard error at its path. */
export function createAsk(asking: Asking) {
  return async ({ service, query, variables, context }: SubgraphRequest<GraphqlContext>): Promise<SubgraphAnswer> => {
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
}

export function parseAnswer(body: Buffer): SubgraphAnswer | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isAnswer(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: unknown): value is SubgraphAnswer {
  return typeof value === 'object' && value !== null && ('data' in value || ('errors' in value && Array.isArray(value.errors)));
}

/** One error for each field that stays empty: of the root, or of each entity that was asked for. */
function failuresOf(
  thrown: unknown,
  query: string,
  variables: SubgraphRequest<never>['variables'],
  language: Language,
): GraphQLFormattedError[] {
  const error = thrown instanceof AppError && kinds[thrown.kind].status >= 500 ? thrown : failures.internal({ cause: thrown });
  const rendered = renderGraphqlError(error, language);
  const { representations } = variables;
  if (!Array.isArray(representations)) return rootKeys(query).map((key) => ({ ...rendered, path: [key] }));
  return representations.flatMap((_, index) => rootKeys(query).map((key) => ({ ...rendered, path: ['_entities', index, key] })));
}
