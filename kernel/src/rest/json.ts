import type { FastifyInstance } from 'fastify';

/**
 * Stands for a body that is not JSON; the pipeline refuses it after it has identified the caller.
 */
export const invalidJson: unique symbol = Symbol('invalid JSON');

/**
 * Accepts application/json bodies only; any other content type gets 415.
 * Fastify's parser refuses keys that could change a prototype.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), (error, value) => done(null, error ? invalidJson : value));
  });
}
