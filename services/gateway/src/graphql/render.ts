import { AppError, failures, kinds, type Language, renderGraphqlError } from '@tessera/kernel/errors';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { InputFault } from './documents.ts';
import { reasonOf } from './reason.ts';

const codes = new Set<string>(Object.values(kinds).map(({ code }) => code));

/** A document or variables that the client must change. */
export function renderInputFault(error: InputFault, language: Language): GraphQLFormattedError {
  const { message, extensions } = renderGraphqlError(failures.badInput({ extensions: { reason: reasonOf(error.message) } }), language);
  const locations = error.locations === undefined ? {} : { locations: error.locations };
  return { message, extensions, ...locations };
}

export function renderFailure(failure: AppError, language: Language): GraphQLFormattedError {
  return renderGraphqlError(failure, language);
}

/**
 * An error of the execution. A service's own comes through as it said it, localized and with its code; what has no code of ours
 * is a fault between us and says nothing.
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

/** Where nothing but errors came of a request, its data is null: the specification's error body, however a service's schema is written. */
export function dataBesideErrors(data: Readonly<Record<string, unknown>> | null | undefined): Readonly<Record<string, unknown>> | null {
  return data !== null && data !== undefined && Object.values(data).some((value) => value !== null) ? data : null;
}
