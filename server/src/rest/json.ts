import type { FastifyInstance } from 'fastify';

/** A body that is not JSON, refused after the caller is known. */
export const invalidJson: unique symbol = Symbol('invalid JSON');

/** Accepts application/json only (else 415). Validation refuses the key __proto__. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('ignore', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), (error, value) => done(null, error ? invalidJson : value));
  });
}
