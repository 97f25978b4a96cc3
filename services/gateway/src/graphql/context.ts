import type { EdgeContext } from '../edge/context.ts';
import type { ServiceName, Upstreams } from '../proxy/upstream.ts';

/** What belongs to one GraphQL request of a client. All its requests to services share it. */
export type GraphqlContext = {
  readonly edge: EdgeContext;
  readonly rawHeaders: readonly string[];
  readonly connection: string | undefined;
  /**
   * Headers from the responses of services that the client must get: cookies, the consistency
   * token. Flat pairs.
   */
  readonly responseHeaders: string[];
  /**
   * Why the service that got the whole document failed. The plan then reports it without a second
   * request.
   */
  failure?: unknown;
  /** What the services may still return for this request. Below zero: the request is refused. */
  readonly left: { rows: number; bytes: number };
  /**
   * Ends the requests to services when the client disconnects, or when one has returned too much.
   */
  readonly gone: AbortController;
};

/** How the gateway reaches the GraphQL endpoints of the services. */
export type SubgraphAccess = {
  readonly upstreams: Upstreams;
  readonly credential: (service: ServiceName) => string;
  readonly timeoutMs: number;
  readonly logger: { error(details: object, message: string): void };
};
