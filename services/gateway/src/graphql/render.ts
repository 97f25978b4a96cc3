import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { InputFault } from './documents.ts';
import { reasonOf } from './reason.ts';

const codes = new Set<string>(Object.values(kinds).map(({ code }) => code));

/** An error of the document or of its variables. */
export function renderInputFault(error: InputFault, language: Language): GraphQLFormattedError {
  const { message, extensions } = renderGraphqlError(failures.badInput({ extensions: { reason: reasonOf(error.message) } }), language);
  const locations = error.locations === undefined ? {} : { locations: error.locations };
  return { message, extensions, ...locations };
}

export function renderFailure(failure: AppError, language: Language): GraphQLFormattedError {
  return renderGraphqlError(failure, language);
}

/**
 * An error of the execution. An error of a service passes unchanged if it has one of our codes. Any
 * other is an internal error without details.
 */
export function renderExecutionError(
  { message, path, extensions, originalError }: GraphQLError,
  language: Language,
): GraphQLFormattedError {
  const at = path === undefined ? {} : { path: [...path] };
  if (originalError instanceof AppError) return { ...renderGraphqlError(originalError, language), ...at };
  const { serviceName: _, ...details } = extensions;
  if (typeof details['code'] === 'string' && codes.has(details['code'])) return { message, extensions: details, ...at };
  return { ...renderGraphqlError(failures.internal(), language), ...at };
}

/**
 * Data in which every root field is null is null as a whole: the error body of the specification.
 */
export function dataBesideErrors(data: Readonly<Record<string, unknown>> | null | undefined): Readonly<Record<string, unknown>> | null {
  return data !== null && data !== undefined && Object.values(data).some((value) => value !== null) ? data : null;
}
