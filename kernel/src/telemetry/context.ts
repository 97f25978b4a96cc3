import { AsyncLocalStorage } from 'node:async_hooks';

/** The current request's ids: logs contain them, and calls to other services forward them. */
export type RequestContext = {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
};

export const requestContext = new AsyncLocalStorage<RequestContext>();
