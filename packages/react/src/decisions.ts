import type { Input, Output, TesseraClient } from '@tessera/client';

/**
 * A question: may the person who is signed in do this? Without a scope: in the chosen organization.
 */
export type Asked = {
  readonly resource: string;
  readonly action: string;
  readonly scope?: Input<'isAuthorized'>['scope'];
  /** The resource as conditions read it. */
  readonly context?: Readonly<Record<string, unknown>>;
};

export type Authorized = {
  /** False until the answer is there, and when it could not be had. */
  readonly isAuthorized: boolean;
  readonly isPending: boolean;
  readonly reason: Output<'isAuthorized'>['reason'] | undefined;
  readonly error: unknown;
};

/** The server answers up to 1,000 questions at once. */
const mostAtOnce = 500;
const maxAgeMs = 60_000;

export const pending: Authorized = { isAuthorized: false, isPending: true, reason: undefined, error: undefined };

type Entry = { readonly answer: Authorized; readonly askedAt: number };
type Check = Input<'isAuthorizedMany'>['checks'][number];

/**
 * Answers of one client. Questions of the same moment go in one request; an answer is kept until a
 * change: another session, a write through this client, `clear()`, or a minute.
 */
export class Decisions {
  readonly #client: TesseraClient;
  readonly #listeners = new Set<() => void>();
  #entries = new Map<string, Entry>();
  #waiting = new Map<string, Check>();
  #underWay = new Set<string>();
  /** Answers of an earlier generation are about another session, or older than a change. */
  #generation = 0;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: TesseraClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  read(key: string): Authorized {
    return this.#entries.get(key)?.answer ?? pending;
  }

  /** Changes whenever those who show an answer have to ask anew. */
  readonly round = (): number => this.#round;

  /** Asks unless there is an answer that is still good, or on its way. */
  ask(key: string, { resource, action, scope, context }: Asked): void {
    const known = this.#entries.get(key);
    if (known !== undefined && Date.now() - known.askedAt < maxAgeMs) return;
    if (this.#waiting.has(key) || this.#underWay.has(key)) return;
    const about = context === undefined ? {} : { context: { resource: { ...context } } };
    if (this.#waiting.size === 0) queueMicrotask(() => void this.#send());
    this.#waiting.set(key, { permission: { resource, action }, ...(scope === undefined ? {} : { scope }), ...about });
  }

  /** Forgets every answer. Components that show one ask anew. */
  readonly clear = (): void => {
    this.#generation += 1;
    this.#entries = new Map();
    this.#waiting = new Map();
    this.#underWay = new Set();
    this.#askAnew();
  };

  async #send(): Promise<void> {
    const asked = [...this.#waiting];
    this.#waiting = new Map();
    for (const [key] of asked) this.#underWay.add(key);
    for (let from = 0; from < asked.length; from += mostAtOnce) await this.#sendSome(asked.slice(from, from + mostAtOnce));
  }

  async #sendSome(asked: readonly (readonly [string, Check])[]): Promise<void> {
    const generation = this.#generation;
    const askedAt = Date.now();
    const answers = await this.#client.isAuthorizedMany({ checks: asked.map(([, check]) => check) }).then(
      ({ decisions }) =>
        decisions.map(({ authorized, reason }) => ({ isAuthorized: authorized, isPending: false, reason, error: undefined })),
      (error: unknown) => asked.map(() => ({ isAuthorized: false, isPending: false, reason: undefined, error })),
    );
    if (generation !== this.#generation) return;
    for (const [index, [key]] of asked.entries()) {
      this.#underWay.delete(key);
      const answer = answers[index];
      if (answer !== undefined) this.#entries.set(key, { answer, askedAt });
    }
    this.#timer ??= setTimeout(() => this.#askAnew(), maxAgeMs);
    this.#tell();
  }

  #askAnew(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#round += 1;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const reads = /^(get|list|is|export)/;

/** The same client, which tells of every write that succeeded. */
export function tellingOfWrites(client: TesseraClient, wrote: () => void): TesseraClient {
  return new Proxy(client, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || typeof name !== 'string' || reads.test(name) || name === 'signInUrl') return value;
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, given);
        if (answer instanceof Promise) answer.then(wrote, () => undefined);
        return answer;
      };
    },
  });
}
