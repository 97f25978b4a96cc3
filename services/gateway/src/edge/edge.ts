import { requestContext } from '@tessera/kernel/telemetry';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type EdgeContext, type EdgeOptions, identify } from './context.ts';

/** What happens to every request for the gateway itself before it is routed, and to every answer. */
export function installEdge(app: FastifyInstance, options: EdgeOptions): void {
  app.decorateRequest('edge', unset);
  app.addHook('onRequest', (request, reply, done) => {
    request.edge = identify(request.raw, options);
    if (request.edge.isPreflight) {
      reply.code(204).send();
      return;
    }
    requestContext.run(request.edge, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(reply, request.edge, options.responseDefaults);
    done(null, payload);
  });
}

/** Whether the router can read the path: one that it can't read it would refuse before any of this. */
export function isWellFormed(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURI(url.slice(0, url.search(/[?#]|$/)));
    return true;
  } catch {
    return false;
  }
}

// A request without the edge's context would be a fault of ours: it must not look like an anonymous one.
const unset: never = undefined as never;

function addHeaders(reply: FastifyReply, edge: EdgeContext, defaults: ReadonlyMap<string, string>): void {
  for (const [name, value] of defaults) if (!reply.hasHeader(name)) reply.header(name, value);
  const { responseHeaders } = edge;
  for (let index = 0; index + 1 < responseHeaders.length; index += 2) {
    const name = responseHeaders[index] ?? '';
    const value = responseHeaders[index + 1] ?? '';
    const present = name === 'vary' ? reply.getHeader('vary') : undefined;
    reply.header(name, present === undefined ? value : `${present}, ${value}`);
  }
}
