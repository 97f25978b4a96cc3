import type { Language } from '@tessera/kernel/errors';

/** What the edge knows of a request before anything else looks at it. */
export type EdgeContext = {
  readonly requestId: string;
  readonly traceparent: string;
  readonly address: string;
  readonly language: Language;
  /** Flat pairs (name, value, …) that every answer to this request carries. */
  readonly responseHeaders: string[];
};

declare module 'fastify' {
  interface FastifyRequest {
    edge: EdgeContext;
  }
}
