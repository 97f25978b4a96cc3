/** An AppError is sent as a status with its parts in metadata; any other error as INTERNAL only. */
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  AppError,
  type ErrorDetails,
  failures,
  hasRetryTime,
  kinds,
  registeredTexts,
  registerText,
  type Text,
  translate,
} from '../errors/index.ts';

const errorHeader = 'tessera-error-bin';
const maxDetailBytes = 4096;

const statusOf: Partial<Record<AppError['kind'], status>> = {
  'bad-input': status.INVALID_ARGUMENT,
  validation: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  unverified: status.PERMISSION_DENIED,
  'not-found': status.NOT_FOUND,
  conflict: status.ALREADY_EXISTS,
  changed: status.ABORTED,
  'too-large': status.INVALID_ARGUMENT,
  'rate-limited': status.RESOURCE_EXHAUSTED,
  busy: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  timeout: status.DEADLINE_EXCEEDED,
};

/** The answer of another server, which a raw handler passes on as it came. */
function isAnswer(error: unknown): error is ServiceError {
  return Error.isError(error) && 'code' in error && 'metadata' in error && error.metadata instanceof Metadata;
}

export function toStatus(error: unknown): { readonly code: status; readonly details: string; readonly metadata: Metadata } {
  if (isAnswer(error)) return error;
  if (!(error instanceof AppError) || error.kind === 'internal') {
    return { code: status.INTERNAL, details: 'internal', metadata: new Metadata() };
  }
  const { kind, key, params, extensions } = error;
  const full = Buffer.from(JSON.stringify({ kind, key, params, extensions, text: registeredTexts().get(key) }));
  const metadata = new Metadata();
  // No retry by grpc-js: UNAVAILABLE is the service's answer here, the connection did not break.
  metadata.set('grpc-retry-pushback-ms', '-1');
  metadata.set(errorHeader, full.length > maxDetailBytes ? Buffer.from(JSON.stringify({ kind, key })) : full);
  if (hasRetryTime(kind)) metadata.set('retry-after', String(params?.['seconds'] ?? 1));
  return { code: statusOf[kind] ?? status.UNKNOWN, details: translate(key, 'en', params), metadata };
}

type ErrorParts = Pick<ErrorDetails, 'params' | 'extensions'> & { kind: AppError['kind']; key: string; text?: Text };

function partsOf(error: ServiceError): ErrorParts | undefined {
  const [raw] = error.metadata?.get(errorHeader) ?? [];
  if (!Buffer.isBuffer(raw)) return undefined;
  const parts: ErrorParts = JSON.parse(raw.toString('utf8'));
  if (!Object.hasOwn(kinds, parts.kind)) return undefined;
  // The other service's texts are unknown here and come with the error, in both languages.
  if (parts.text !== undefined && !registeredTexts().has(parts.key)) registerText(parts.key, parts.text);
  return parts;
}

/** A refused credential is a fault of our own configuration: 503, and never 401. */
export function fromStatus(error: ServiceError, service: string): AppError {
  const parts = partsOf(error);
  if (parts !== undefined) return new AppError(parts.kind, parts.key, { ...parts, cause: error });
  const isUnavailable = [status.UNAVAILABLE, status.CANCELLED, status.UNAUTHENTICATED].includes(error.code);
  if (isUnavailable) return failures.unavailable(service, error);
  if (error.code === status.DEADLINE_EXCEEDED) return failures.timeout(service, error);
  return failures.internal({ cause: error });
}
