import { AsyncLocalStorage } from 'node:async_hooks';

/** What belongs to the request at hand; logs carry it and calls to other services pass it on. */
export type RequestContext = {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  readonly language?: string | undefined;
};

export const requestContext = new AsyncLocalStorage<RequestContext>();
