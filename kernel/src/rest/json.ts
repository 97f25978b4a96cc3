import type { FastifyInstance } from 'fastify';

/** Stands for a body that is no JSON, until the pipeline knows who is asking. */
export const invalidJson: unique symbol = Symbol('invalid JSON');

const POISONED_KEYS = new Set(['__proto__', 'constructor']);

/** JSON as data only: a key that could reach a prototype makes the body invalid. */
const parse = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (POISONED_KEYS.has(key)) throw new SyntaxError('poisoned key');
      return value;
    });
  } catch {
    return invalidJson;
  }
};

/** Bodies are application/json and nothing else; everything else is answered with 415. */
export const acceptJsonOnly = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, parse(body.toString())));
};
