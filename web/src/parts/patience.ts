import { TesseraError } from '@tessera/client';

/** A full queue empties within seconds. The page itself tries again, for about two minutes. */
const mostTries = 8;

function busySeconds(error: unknown): number | undefined {
  return error instanceof TesseraError && error.code === 'SIGN_IN_BUSY' ? (error.retryAfterSeconds ?? 5) : undefined;
}

/**
 * Calls again as long as the queue of sign-ins is full. `onWait` gets the seconds until the next
 * try.
 */
export async function sendPatiently(
  send: () => Promise<unknown>,
  onWait: (seconds: number | undefined) => void,
  isLeft: () => boolean = () => false,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await send();
      return;
    } catch (error) {
      const seconds = busySeconds(error);
      if (seconds === undefined || tries === mostTries) throw error;
      // So that those who were refused together do not come back together.
      const spreadSeconds = seconds + Math.round(Math.random() * seconds);
      onWait(spreadSeconds);
      await new Promise((resume) => setTimeout(resume, spreadSeconds * 1_000));
      if (isLeft()) return;
      onWait(undefined);
    }
  }
}
