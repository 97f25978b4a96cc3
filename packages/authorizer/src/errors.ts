/** The statuses of gRPC that a caller can act upon; docs/decisions-over-grpc.md says what to do. */
export type AuthorizerErrorCode =
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'INVALID_ARGUMENT'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL';

/** The question got no answer. It is neither a yes nor a no: there is no default decision. */
export class AuthorizerError extends Error {
  override readonly name = 'AuthorizerError';
  readonly code: AuthorizerErrorCode;
  /** With RESOURCE_EXHAUSTED, when the server said it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: AuthorizerErrorCode,
    message: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
