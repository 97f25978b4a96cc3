import { AppError, hasRetryTime, kinds } from './error.ts';
import { failures } from './failures.ts';
import type { Language } from './languages.ts';
import { localize, translate } from './texts.ts';

export type ErrorBody = {
  error: string;
  code: string;
  extensions?: Readonly<Record<string, unknown>>;
  translationKey?: string;
  translationParams?: Readonly<Record<string, unknown>>;
  stack?: string;
};

/** An unknown error becomes `internal` without details and stays its private cause. */
export function asAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : failures.internal({ cause: thrown });
}

export function renderError(thrown: unknown, language: Language, showStack = false): { status: number; body: ErrorBody } {
  const error = asAppError(thrown);
  const { status, code } = kinds[error.kind];
  const body: ErrorBody = { error: translate(error.key, language, error.params), code };
  if (error.extensions !== undefined) body.extensions = localize(error.extensions, language);
  if (status < 500 || hasRetryTime(error.kind)) {
    body.translationKey = error.key;
    if (error.params !== undefined) body.translationParams = localize(error.params, language);
  }
  if (showStack && status === 500) {
    const stack = error.cause instanceof Error ? error.cause.stack : error.stack;
    if (stack !== undefined) body.stack = stack;
  }
  return { status, body };
}

export type GraphqlErrorBody = { message: string; extensions: Record<string, unknown> & { code: string } };

export function renderGraphqlError(thrown: unknown, language: Language): GraphqlErrorBody {
  const { body } = renderError(thrown, language);
  const { error: message, code, translationKey, translationParams } = body;
  return {
    message,
    extensions: {
      ...body.extensions,
      code,
      ...(translationKey === undefined ? {} : { translationKey }),
      ...(translationParams === undefined ? {} : { translationParams }),
    },
  };
}
