/** `error`: it does not work. `unsafe`: it works, and must not go into production like this. */
export type Level = 'ok' | 'note' | 'unsafe' | 'error';

export interface Finding {
  readonly level: Level;
  /** What was looked at: configuration, postgres, redis, nats, http, grpc, clock, production. */
  readonly check: string;
  /** The service, or the store. */
  readonly subject: string;
  /** Never has the value of a variable: it may be a secret. */
  readonly message: string;
}

/** Makes the findings of one check of one subject. */
export function about(check: string, subject: string) {
  const at =
    (level: Level) =>
    (message: string): Finding => ({ level, check, subject, message });
  return { ok: at('ok'), note: at('note'), unsafe: at('unsafe'), error: at('error') };
}

/** The code of a failure, and its text without the credentials of a URL. */
export function reasonOf(error: unknown): string {
  if (!Error.isError(error)) return 'unknown';
  // Each address of a name failed for a reason of its own.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const [first = ''] = error.message.split('\n');
  return `${first.startsWith(code) ? '' : code}${first.replaceAll(/\/\/[^/\s@]*@/g, '//…@')}`;
}

/** Fails when the work takes longer. */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
