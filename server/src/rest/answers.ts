import { AppError, chooseLanguage, failures, hasRetryTime, kinds, renderError } from '@tessera/kernel/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

function translateFault(error: FastifyError | AppError | Error): unknown {
  if (error instanceof AppError) return error;
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return failures.tooLarge({ cause: error });
  if (status === 415) return failures.unsupportedMediaType({ cause: error });
  return status !== undefined && status < 500 ? failures.badInput({ cause: error }) : error;
}

type Log = { error(details: object, message: string): void };

export function answerErrors(app: FastifyInstance, { logger, showStack }: { logger: Log; showStack: boolean }): void {
  const send = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, body } = renderError(thrown, chooseLanguage(request.headers['accept-language']), showStack);
    void reply.status(status).type('application/json; charset=utf-8');
    // RFC 9449 section 7.1.
    if (thrown instanceof AppError && thrown.extensions?.['reason'] === 'proof_required')
      void reply.header('www-authenticate', 'DPoP error="invalid_token"');
    // Also while a service lacks its database or another service.
    if (status === 503 || (thrown instanceof AppError && hasRetryTime(thrown.kind)))
      void reply.header('retry-after', String(body.translationParams?.['seconds'] ?? 1));
    return body;
  };
  app.setErrorHandler((error: FastifyError | AppError | Error, request, reply) => {
    const fault = translateFault(error);
    if (!(fault instanceof AppError) || kinds[fault.kind].status === 500)
      logger.error({ err: error, requestId: request.headers['x-request-id'] }, 'request failed');
    void reply.send(send(fault, request, reply));
  });
  app.setNotFoundHandler((request, reply) => void reply.send(send(failures.routeNotFound(), request, reply)));
}
