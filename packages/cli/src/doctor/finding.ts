/** `error`: it does not work. `unsafe`: it works, and must not go into production like this. */
export type Level = 'ok' | 'note' | 'unsafe' | 'error';

export interface Finding {
  readonly level: Level;
  /** What was looked at: configuration, postgres, http, tls, keys, clock, production, … */
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
  if (typeof error !== 'object' || error === null || !('message' in error) || typeof error.message !== 'string') return 'unknown';
  // Each address of a name failed for a reason of its own.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  const [first = ''] = error.message.split('\n');
  return `${first.startsWith(code) ? '' : code}${first.replaceAll(/\/\/[^/\s@]*@/g, '//…@')}`;
}

/** Fails when the work takes longer. */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export type Counts = { readonly [level in Level]: number };

export function countLevels(findings: readonly Finding[]): Counts {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  return { ok: count('ok'), note: count('note'), unsafe: count('unsafe'), error: count('error') };
}

const marks: Readonly<Record<Level, string>> = { ok: '✔', note: '·', unsafe: '!', error: '✖' };

/** The findings as lines, what must be done last, and their sum. */
export function textOfFindings(findings: readonly Finding[]): string {
  const order: readonly Level[] = ['ok', 'note', 'unsafe', 'error'];
  const lines = order.flatMap((level) =>
    findings
      .filter((finding) => finding.level === level)
      .map(({ check, subject, message }) => `${marks[level]} ${check} · ${subject}: ${message}`),
  );
  const counts = countLevels(findings);
  const sum = `${counts.ok} fine, ${counts.note} to know, ${counts.unsafe} unsafe for production, ${counts.error} broken`;
  return [...lines, '', sum].join('\n');
}
