import { type Session, TesseraError } from '@tessera/client';

/** How a request for one of many ended; `unneeded`: what it was for was so already. */
export type Outcome = { readonly kind: 'done' | 'unneeded' | 'refused' | 'unsent'; readonly text?: string | undefined };

export type Watch = {
  /** No request begins any more when this is aborted. Those on their way are waited for. */
  readonly signal: AbortSignal;
  /** The server asks to wait until then; undefined: it goes on. */
  readonly wait: (until: Date | undefined) => void;
};

type Steps<Thing> = Watch & {
  readonly send: (thing: Thing) => Promise<Outcome>;
  /** The failure in words. */
  readonly textOf: (error: unknown) => string;
  readonly report: (thing: Thing, outcome: Outcome) => void;
};

/** Two: a slow one does not hold up the others, and the server has little more than by hand. */
const atOnce = 2;
/** Gateways count in windows of a quarter of an hour. A dialog does not stay open for a day. */
const longestWaitSeconds = 16 * 60;

/**
 * Sends a request for each thing, and reports how each has ended. When the session has ended, the
 * server is not there, or it asks to wait for long, the others are not sent.
 */
export async function runEach<Thing>(things: readonly Thing[], { send, textOf, report, signal, wait }: Steps<Thing>): Promise<void> {
  const gate = new AbortController();
  const watch = { signal: AbortSignal.any([signal, gate.signal]), wait };
  const queue = [...things];
  let reason: string | undefined;

  async function work(): Promise<void> {
    for (let thing = queue.shift(); thing !== undefined; thing = queue.shift()) {
      const current = thing;
      if (watch.signal.aborted) {
        report(current, { kind: 'unsent', text: reason });
        continue;
      }
      try {
        report(current, await patiently(() => send(current), watch));
      } catch (error) {
        const text = watch.signal.aborted && isWait(error) ? reason : textOf(error);
        if (endsAll(error)) {
          reason ??= text;
          gate.abort();
        }
        report(current, { kind: isUntouched(error) ? 'unsent' : 'refused', text });
      }
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Another person may sign in by another tab, who has not asked for this. Answers how to end it. */
export function stopForAnother(session: Pick<Session, 'userId' | 'subscribe'>, stop: AbortController): () => void {
  const { userId } = session;
  return session.subscribe(() => {
    if (session.userId !== userId) stop.abort();
  });
}

/** Sends again when the server had asked to wait. All who share the watch wait by themselves. */
export async function patiently<Result>(send: () => Promise<Result>, { signal, wait }: Watch): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const seconds = waitSeconds(error);
      if (seconds === undefined || seconds > longestWaitSeconds || signal.aborted) throw error;
      wait(new Date(Date.now() + seconds * 1_000));
      await pause(seconds, signal);
      wait(undefined);
      if (signal.aborted) throw error;
    }
  }
}

/** Of a limit for all requests. One that names its field is the outcome of that request alone. */
function waitSeconds(error: unknown): number | undefined {
  return isWait(error) ? Math.max(1, error.retryAfterSeconds ?? 1) : undefined;
}

function isWait(error: unknown): error is TesseraError {
  return error instanceof TesseraError && error.status === 429 && error.field === undefined;
}

function endsAll(error: unknown): boolean {
  return error instanceof TesseraError && (error.status === 401 || error.status === 0 || isWait(error));
}

/** Nothing was looked at but who asks, and how often. */
function isUntouched(error: unknown): boolean {
  return isWait(error) || (error instanceof TesseraError && error.status === 401);
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const go = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', go);
      resume();
    };
    const timer = setTimeout(go, seconds * 1_000);
    signal.addEventListener('abort', go);
  });
}
