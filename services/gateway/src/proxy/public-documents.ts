import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientHeaders } from '../edge/headers.ts';
import { fetchWhole, type UpstreamResponse } from './fetch.ts';
import { type ServiceName, tryReplicas, type Upstreams } from './upstream.ts';

/** Key sets and discovery: public, equal for all, and needed while their service is down. */
export type PublicDocuments = {
  send(service: ServiceName, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /**
   * After what can change one (`changesDocuments` of its operation): every document is fetched
   * again before it is sent.
   */
  expire(): void;
};

type Options = { readonly upstreams: Upstreams; readonly credential: (service: ServiceName) => string; readonly timeoutMs: number };
type Remembered = { readonly response: UpstreamResponse; readonly askedAtMs: number };

/** Changes by another gateway, or by jobs, show after so long. */
const freshMs = 1_000;
/** Without its service a document is sent for as long as clients may keep it. */
const keptMs = 3_600_000;
const mostDocuments = 5_000;

export function createPublicDocuments({ upstreams, credential, timeoutMs }: Options): PublicDocuments {
  const remembered = new LRUCache<string, Remembered>({ max: mostDocuments, ttl: keptMs });
  const underWay = new Map<string, Promise<UpstreamResponse>>();
  let expiredAtMs = 0;
  const fetchNow = async (service: ServiceName, path: string): Promise<UpstreamResponse> => {
    const headers = ['x-tessera-service', credential(service)];
    const askedAtMs = performance.now();
    const response = await tryReplicas(upstreams[service], 'if-lost', ({ pool }) =>
      fetchWhole(pool, { path, method: 'GET', headers, body: null, timeoutMs }),
    );
    // A response that was asked for earlier may have been read before a change that this one shows.
    if ((remembered.get(path)?.askedAtMs ?? 0) > askedAtMs) return response;
    if (response.status === 200) remembered.set(path, { response, askedAtMs });
    else if (response.status < 500) remembered.delete(path);
    return response;
  };
  /** One request to the service at a time for each document, however many clients ask. */
  const fetchOnce = (service: ServiceName, path: string): Promise<UpstreamResponse> => {
    const known = underWay.get(path);
    if (known !== undefined) return known;
    const fetched = fetchNow(service, path).finally(() => {
      if (underWay.get(path) === fetched) underWay.delete(path);
    });
    underWay.set(path, fetched);
    return fetched;
  };
  const read = async (service: ServiceName, path: string): Promise<UpstreamResponse> => {
    const known = remembered.get(path);
    if (known !== undefined && !isWithoutKeys(known.response) && known.askedAtMs > Math.max(expiredAtMs, performance.now() - freshMs))
      return known.response;
    try {
      const response = await fetchOnce(service, path);
      return response.status >= 500 && known !== undefined ? known.response : response;
    } catch (error) {
      if (known !== undefined) return known.response;
      throw error;
    }
  };
  return {
    send: async (service, request, reply) => {
      const { status, headers, body } = await read(service, pathOf(request.url));
      const { 'content-length': _, ...kept } = headers;
      const flat = clientHeaders(kept);
      for (let index = 0; index + 1 < flat.length; index += 2) reply.header(flat[index] ?? '', flat[index + 1] ?? '');
      return isKnown(request.headers['if-none-match'], headers.etag) ? reply.code(304).send() : reply.code(status).send(body);
    },
    expire: () => {
      expiredAtMs = performance.now();
      // What is under way may have been read before the change.
      underWay.clear();
    },
  };
}

/** A project gets its first keys with its first token, which no operation on keys announces. */
function isWithoutKeys({ body }: UpstreamResponse): boolean {
  return body.toString('utf8') === '{"keys":[]}';
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** RFC 9110 section 13.1.2: weak comparison, a list, or any. */
function isKnown(given: string | undefined, etag: string | undefined): boolean {
  if (given === undefined || etag === undefined) return false;
  return given.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));
}
