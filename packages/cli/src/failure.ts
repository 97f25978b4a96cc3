import { TesseraError } from '@tessera/client';

/** What the shell learns. */
export const exitCodes = { done: 0, failed: 1, usage: 2, signedOut: 3, no: 4, interrupted: 130 } as const;

/** A failure that the person at the terminal can mend; the message says how. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export type Told = { readonly message: string; readonly code: string; readonly exitCode: number };

/** What to print about any error, and the exit code. */
export function tell(error: unknown): Told {
  if (error instanceof Failure) return { message: error.message, code: 'CLI', exitCode: error.exitCode };
  if (!(error instanceof TesseraError))
    return { message: error instanceof Error ? error.message : String(error), code: 'CLI', exitCode: exitCodes.failed };
  const { code, field, requestId, status, retryAfterSeconds } = error;
  const details = [
    field === undefined ? '' : ` (${field})`,
    retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} s.`,
    status === 401 ? ' Sign in with `tessera login`, or check TESSERA_TOKEN or TESSERA_CLIENT_SECRET.' : '',
    requestId === undefined || status < 500 ? '' : ` Request ${requestId}.`,
  ];
  return { message: error.message + details.join(''), code, exitCode: status === 401 ? exitCodes.signedOut : exitCodes.failed };
}

/** An error as `--json` has it. */
export function errorLine(code: string, message: string): string {
  return `${JSON.stringify({ error: { code, message } })}\n`;
}
