import type { ServiceName } from './upstream.ts';

/**
 * A path and all paths below it belong to a service. The longer rule wins. `:name` stands for one
 * segment.
 */
export type RouteRule = {
  readonly path: string;
  readonly service: ServiceName;
  /** Only this path, without the paths below it. */
  readonly isExact?: true;
  /** Only this method; others follow the rule of the path above. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * `auth`: checks a secret, tells whether an address is registered, or sends mail. The same limit
   * counts the mutations of `authFields`. `client`: OAuth clients authenticate there, and failures
   * count in `auth`.
   */
  readonly limit?: 'auth' | 'client';
  readonly bodyLimitBytes?: number;
  /** The service itself says which browser origins may read: those of the client that asks. */
  readonly cors?: 'service';
  /** A public document that hardly ever changes: remembered, with a limit of its own. */
  readonly isDocument?: true;
  /** After it the public documents are fetched again. Others show a change within a second. */
  readonly changesDocuments?: true;
};
