/**
 * Keeps the process that reads SAML messages: started with the first message, one message at a
 * time, ended and started anew when a message takes too long.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { SamlRefusal } from './document.ts';
import type { ProviderMetadata } from './read-metadata.ts';
import type { ResponseSettings, SamlAnswer } from './read-response.ts';

export type SamlJob =
  | { readonly kind: 'response'; readonly response: string; readonly settings: ResponseSettings }
  | { readonly kind: 'metadata'; readonly xml: string; readonly organizationId: string };
export type SamlOutcome =
  | { readonly kind: 'response'; readonly answer: SamlAnswer }
  | { readonly kind: 'metadata'; readonly metadata: ProviderMetadata }
  | { readonly kind: 'refused'; readonly reason: string };

export type SamlReader = {
  /** Throws `SamlRefusal`, or `unavailable()` when no process can take the message. */
  response(response: string, settings: ResponseSettings): Promise<SamlAnswer>;
  metadata(xml: string, organizationId: string): Promise<ProviderMetadata>;
  stop(): Promise<void>;
};

type Options = {
  /** Makes the error of a message that no process reads, because too many wait. */
  readonly unavailable: () => Error;
  readonly logger: { warn(details: object, message: string): void };
  /** Waiting and running together. */
  readonly capacity?: number;
  /** Of one connection or organization: a flood at one leaves the others their turn. */
  readonly capacityEach?: number;
  readonly longestMs?: number;
  readonly start?: () => ChildProcess;
};

type Waiting = {
  readonly work: SamlJob;
  readonly of: string;
  readonly resolve: (outcome: SamlOutcome) => void;
  readonly reject: (error: Error) => void;
};
type Message = { readonly isReady: true } | { readonly id: number; readonly outcome: SamlOutcome };
type Running = { readonly id: number; readonly job: Waiting; readonly timer: NodeJS.Timeout };

/** Of a process on a busy machine, until it takes its first message. */
const longestStartMs = 20_000;
const script = new URL('./saml-process.ts', import.meta.url);

/** An environment of its own, so that it sees none of the service's secrets. */
function forkReader(): ChildProcess {
  return fork(script, [], { env: {}, execArgv: ['--max-old-space-size=128'] });
}

export function createSamlReader(options: Options): SamlReader {
  const { unavailable, logger, capacity = 64, capacityEach = 8, longestMs = 3_000, start = forkReader } = options;
  const waiting: Waiting[] = [];
  let child: ChildProcess | undefined;
  let isReady = false;
  let running: Running | undefined;
  let isStopped = false;
  let jobs = 0;

  function startChild(): ChildProcess {
    const started = start();
    isReady = false;
    const starting = setTimeout(() => started.kill('SIGKILL'), longestStartMs);
    const end = (details: object): void => {
      if (child !== started) return;
      child = undefined;
      clearTimeout(starting);
      const lost = running?.job ?? waiting.shift();
      clearTimeout(running?.timer);
      running = undefined;
      lost?.resolve({ kind: 'refused', reason: 'the message could not be read' });
      if (!isStopped) logger.warn(details, 'the process that reads SAML messages ended');
      runNext();
    };
    started.on('message', (message: Message) => {
      if (child !== started) return;
      if ('isReady' in message) {
        clearTimeout(starting);
        isReady = true;
      } else if (running?.id === message.id) {
        clearTimeout(running.timer);
        const { job } = running;
        running = undefined;
        job.resolve(message.outcome);
      }
      runNext();
    });
    started.on('exit', (code, signal) => end({ code, signal }));
    // A process that cannot be started emits `error` and no `exit`.
    started.on('error', (error) => end({ err: error }));
    return started;
  }

  function runNext(): void {
    if (running !== undefined || isStopped || waiting.length === 0) return;
    child ??= startChild();
    const to = child;
    const job = isReady ? waiting.shift() : undefined;
    if (job === undefined) return;
    jobs += 1;
    // SIGKILL: it may be in a loop that hears nothing.
    running = { id: jobs, job, timer: setTimeout(() => to.kill('SIGKILL'), longestMs) };
    to.send({ id: jobs, work: job.work }, () => undefined);
  }

  function request(work: SamlJob): Promise<SamlOutcome> {
    const of = work.kind === 'response' ? work.settings.acsUrl : work.organizationId;
    const ahead = running === undefined ? waiting : [running.job, ...waiting];
    const isFull = ahead.length >= capacity || ahead.filter((one) => one.of === of).length >= capacityEach;
    if (isStopped || isFull) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      waiting.push({ work, of, resolve, reject });
      runNext();
    });
  }

  return {
    async response(response, settings) {
      const outcome = await request({ kind: 'response', response, settings });
      if (outcome.kind === 'response') return outcome.answer;
      throw new SamlRefusal(outcome.kind === 'refused' ? outcome.reason : 'the message is no answer');
    },
    async metadata(xml, organizationId) {
      const outcome = await request({ kind: 'metadata', xml, organizationId });
      if (outcome.kind === 'metadata') return outcome.metadata;
      throw new SamlRefusal(outcome.kind === 'refused' ? outcome.reason : 'the message is no metadata');
    },
    async stop() {
      isStopped = true;
      for (const { reject } of waiting.splice(0)) reject(unavailable());
      const last = child;
      if (last === undefined) return;
      const ended = new Promise<void>((resolve) => last.once('exit', () => resolve()));
      last.kill('SIGKILL');
      await ended;
    },
  };
}
