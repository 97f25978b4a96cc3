import type { FastifyInstance } from 'fastify';

/** Stands for a body that is no JSON, until the pipeline knows who is asking. */
export const invalidJson: unique symbol = Symbol('invalid JSON');

/**
 * Bodies are application/json and nothing else; everything else is answered with 415.
 * Fastify's own parser refuses keys that could reach a prototype.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), (error, value) => done(null, error ? invalidJson : value));
  });
}
