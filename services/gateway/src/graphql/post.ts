import type { IncomingHttpHeaders } from 'node:http';
import { CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens } from '@tessera/kernel/authorization';
import { AppError, failures } from '@tessera/kernel/errors';
import { ROWS_HEADER } from '@tessera/server/graphql';
import { errors } from 'undici';
import { upstreamHeaders } from '../edge/headers.ts';
import { fetchWhole, type UpstreamResponse } from '../proxy/fetch.ts';
import { type ServiceName, tryReplicas } from '../proxy/upstream.ts';
import type { GraphqlContext, SubgraphAccess } from './context.ts';

export type GraphqlPost = {
  readonly body: string;
  /** True for a query, false for a mutation. */
  readonly mayRepeat: boolean;
};

/**
 * POST /graphql at one replica of a service. Headers of the response that the client must get are
 * kept in the context.
 */
export async function postGraphql(
  { upstreams, credential, timeoutMs }: SubgraphAccess,
  name: ServiceName,
  context: GraphqlContext,
  { body, mayRepeat }: GraphqlPost,
): Promise<UpstreamResponse> {
  const { left, gone } = context;
  if (isRefused(context)) throw failures.answerTooLarge();
  const headers = [...headersOf(context, credential(name)), ROWS_HEADER, String(left.rows)];
  const response = await tryReplicas(upstreams[name], mayRepeat ? 'if-lost' : 'if-not-sent', ({ pool }) =>
    fetchWhole(pool, { path: '/graphql', method: 'POST', headers, body, timeoutMs, mostBytes: left.bytes, signal: gone.signal }),
  ).catch((error: unknown) => {
    if (error instanceof AppError && error.cause instanceof errors.ResponseExceededMaxSizeError) left.bytes = -1;
    if (isRefused(context)) gone.abort();
    throw error;
  });
  left.rows -= Number(response.headers[ROWS_HEADER] ?? 0);
  left.bytes -= response.body.length;
  // Requests that were sent at the same time had the same rows left.
  if (isRefused(context)) gone.abort();
  keepHeaders(response.headers, context.responseHeaders);
  return response;
}

/** Whether the services have returned too much for the request. */
export function isRefused({ left }: GraphqlContext): boolean {
  return left.rows < 0 || left.bytes < 0;
}

/** The body is ours: what the client said of its own does not hold for it. */
const bodyHeaders = new Set(['content-type', 'accept', 'content-encoding']);

function headersOf({ rawHeaders, connection, edge }: GraphqlContext, credential: string): string[] {
  const given = upstreamHeaders(rawHeaders, connection, edge, credential);
  const headers = ['content-type', 'application/json'];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const header = given[index] ?? '';
    if (!bodyHeaders.has(header)) headers.push(header, given[index + 1] ?? '');
  }
  return headers;
}

function keepHeaders(headers: IncomingHttpHeaders, kept: string[]): void {
  for (const cookie of headers['set-cookie'] ?? []) kept.push('set-cookie', cookie);
  const consistencyToken = headers[CONSISTENCY_TOKEN_HEADER];
  if (typeof consistencyToken === 'string') addConsistencyToken(kept, consistencyToken);
}

/** The tokens of all services that took part in a mutation are joined in one header. */
function addConsistencyToken(headers: string[], token: string): void {
  const known = headers.indexOf(CONSISTENCY_TOKEN_HEADER);
  if (known === -1) headers.push(CONSISTENCY_TOKEN_HEADER, token);
  else headers[known + 1] = joinConsistencyTokens(headers[known + 1], token);
}
