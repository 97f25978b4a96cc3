/** AppErrors travel as a gRPC status with their parts in metadata, and are rebuilt on the other side. Anything else says nothing. */
import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind, failures, kinds, registeredTexts, registerText, type Text } from '../errors/index.ts';

const ERROR_HEADER = 'tessera-error-bin';
const MAX_DETAIL_BYTES = 4096;

const statusOf: Partial<Record<ErrorKind, status>> = {
  'bad-input': status.INVALID_ARGUMENT,
  validation: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  unverified: status.PERMISSION_DENIED,
  'not-found': status.NOT_FOUND,
  conflict: status.ALREADY_EXISTS,
  'too-large': status.INVALID_ARGUMENT,
  'rate-limited': status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  timeout: status.DEADLINE_EXCEEDED,
};

/** `error`: the AppError's parts. */
export type Failure = { readonly code: status; readonly details: string; readonly error?: Uint8Array | undefined };

export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppError) || error.kind === 'internal') return { code: status.INTERNAL, details: 'internal' };
  const { kind, key, params, extensions } = error;
  const full = Buffer.from(JSON.stringify({ kind, key, params, extensions, text: registeredTexts().get(key) }));
  return {
    code: statusOf[kind] ?? status.UNKNOWN,
    details: key,
    error: full.length > MAX_DETAIL_BYTES ? Buffer.from(JSON.stringify({ kind, key })) : full,
  };
}

/** As a call of its own ends with it. */
export function withMetadata({ code, details, error }: Failure): StatusObject {
  const metadata = new Metadata();
  if (error !== undefined) metadata.set(ERROR_HEADER, Buffer.from(error));
  return { code, details, metadata };
}

/** As the caller of such a call is told of it. */
export function toServiceError(failure: Failure): ServiceError {
  return Object.assign(new Error(failure.details), withMetadata(failure));
}

type Travelled = { kind: ErrorKind; key: string; text?: Text; params?: Record<string, string>; extensions?: Record<string, unknown> };

function travelled(error: ServiceError): Travelled | undefined {
  const [raw] = error.metadata?.get(ERROR_HEADER) ?? [];
  if (!Buffer.isBuffer(raw)) return undefined;
  const parts: Travelled = JSON.parse(raw.toString('utf8'));
  if (!Object.hasOwn(kinds, parts.kind)) return undefined;
  // The catalogue is the other service's: its texts come along, so that whoever answers the client can say it in the client's language.
  if (parts.text !== undefined && !registeredTexts().has(parts.key)) registerText(parts.key, parts.text);
  return parts;
}

/** Whether the other service itself answered so, rather than the channel. */
export function isAppError(error: ServiceError): boolean {
  return (error.metadata?.get(ERROR_HEADER).length ?? 0) > 0;
}

/** `service` is the name that an `unavailable` error gives to the client. A refused credential is our fault, not the user's: internal. */
export function fromStatus(error: ServiceError, service: string): AppError {
  const parts = travelled(error);
  if (parts !== undefined) return new AppError(parts.kind, parts.key, { ...parts, cause: error });
  if (error.code === status.UNAVAILABLE || error.code === status.CANCELLED) return failures.unavailable(service, error);
  if (error.code === status.DEADLINE_EXCEEDED) return failures.timeout(service, error);
  return failures.internal({ cause: error });
}
