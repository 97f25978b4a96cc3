import type { IncomingHttpHeaders } from 'node:http';
import { CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens } from '@tessera/kernel/authorization';
import { inwardHeaders } from '../edge/headers.ts';
import { fetchWhole, type UpstreamResponse } from '../proxy/fetch.ts';
import { type ServiceName, tryReplicas } from '../proxy/upstream.ts';
import type { Asking, GraphqlContext } from './ask.ts';

export type Posted = {
  readonly body: string;
  /** A query, not a mutation. */
  readonly mayRepeat: boolean;
};

/** POST /graphql at one replica; a replica that is not there costs nothing where another is. */
export async function postGraphql(asking: Asking, name: ServiceName, context: GraphqlContext, posted: Posted): Promise<UpstreamResponse> {
  const upstream = asking.upstreams[name];
  const headers = headersOf(context, asking.credential(name));
  const response = await tryReplicas(upstream, posted.mayRepeat ? 'if-lost' : 'if-not-sent', ({ pool }) =>
    fetchWhole(pool, { path: '/graphql', method: 'POST', headers, body: posted.body, timeoutMs: asking.timeoutMs }),
  );
  keepHeaders(response.headers, context.answerHeaders);
  return response;
}

const ownHeaders = new Set(['content-type', 'accept', 'content-encoding']);

function headersOf({ rawHeaders, connection, edge }: GraphqlContext, credential: string): string[] {
  const given = inwardHeaders(rawHeaders, connection, edge, credential);
  const headers = ['content-type', 'application/json'];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const header = given[index] ?? '';
    if (!ownHeaders.has(header)) headers.push(header, given[index + 1] ?? '');
  }
  return headers;
}

/** What the client must get of a service's answer besides its body: cookies, the consistency token. */
function keepHeaders(headers: IncomingHttpHeaders, kept: string[]): void {
  for (const cookie of headers['set-cookie'] ?? []) kept.push('set-cookie', cookie);
  const consistencyToken = headers[CONSISTENCY_TOKEN_HEADER];
  if (typeof consistencyToken === 'string') addConsistencyToken(kept, consistencyToken);
}

/** A mutation that several services answer has one header for the tokens of all of them. */
function addConsistencyToken(headers: string[], token: string): void {
  const known = headers.indexOf(CONSISTENCY_TOKEN_HEADER);
  if (known === -1) headers.push(CONSISTENCY_TOKEN_HEADER, token);
  else headers[known + 1] = joinConsistencyTokens(headers[known + 1], token);
}
