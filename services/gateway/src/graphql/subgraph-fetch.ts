import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { GraphQLFormattedError } from 'graphql';
import { languageOf } from '../edge/context.ts';
import { serviceNames } from '../proxy/upstream.ts';
import type { GraphqlContext, SubgraphAccess } from './context.ts';
import type { SubgraphRequest, SubgraphResponse } from './federation.ts';
import { isRefused, postGraphql } from './post.ts';
import { rootKeys } from './root-keys.ts';

/**
 * The fetches of a plan. A service that fails empties only the fields of its fetch, each with the
 * standard error at its path.
 */
export function createSubgraphFetch(access: SubgraphAccess) {
  return async ({ service, query, variables, context }: SubgraphRequest<GraphqlContext>): Promise<SubgraphResponse> => {
    try {
      if (context.failure !== undefined) throw context.failure;
      const name = serviceNames.find((known) => known === service);
      if (name === undefined) throw failures.unavailable(service);
      const { status, body } = await postGraphql(access, name, context, {
        body: JSON.stringify({ query, variables }),
        mayRepeat: !query.startsWith('mutation'),
      });
      const response = parseResponse(body);
      if (response === undefined || (status !== 200 && response.errors === undefined))
        throw failures.badGateway(service, new Error(`status ${status}`));
      // A fetch that its service does not understand is our fault, not the client's.
      if (status !== 200) throw failures.badGateway(service, new Error(`status ${status}: ${response.errors?.[0]?.message}`));
      return response;
    } catch (error) {
      if (!isRefused(context))
        access.logger.error({ err: error, service, requestId: context.edge.requestId }, 'a service failed a part of a query');
      return { errors: failuresOf(error, query, variables, languageOf(context.edge)) };
    }
  };
}

export function parseResponse(body: Buffer): SubgraphResponse | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isResponse(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isResponse(value: unknown): value is SubgraphResponse {
  return typeof value === 'object' && value !== null && ('data' in value || ('errors' in value && Array.isArray(value.errors)));
}

/** One error for each field that stays empty: of the root, or of each requested entity. */
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
