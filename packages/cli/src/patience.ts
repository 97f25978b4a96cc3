import { setTimeout as pause } from 'node:timers/promises';
import { TesseraError } from '@tessera/client';

export type Patience = {
  readonly mostTries?: number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly note: (text: string) => void;
};

const longestWaitSeconds = 120;
/** A limit of a day, for example, is reported at once. */
const tooLongSeconds = 3_600;

/**
 * Tries again what a limit, a lost connection or a restart refused. For reads, and for writes that
 * the server takes once however often they come.
 */
export async function patiently<Result>(work: () => Promise<Result>, { mostTries = 6, wait = pause, note }: Patience): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostTries || !(error instanceof TesseraError) || !isPassing(error)) throw error;
      const asked = error.retryAfterSeconds ?? 0;
      if (asked > tooLongSeconds) throw error;
      const seconds = Math.min(Math.max(asked, 2 ** (tries - 1)), longestWaitSeconds);
      note(`${error.message} Trying again in ${seconds} s.`);
      await wait(seconds * 1_000);
    }
  }
}

function isPassing({ status }: TesseraError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
