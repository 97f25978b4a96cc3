import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { TesseraError } from '@tessera/client';
import { type Outcome, runEach, stopForAnother } from './run.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const refusal = (status: number, details: object = {}) => new TesseraError(`answer ${status}`, { status, code: 'CONFLICT', ...details });
const done: Outcome = { kind: 'done' };

type Answer = (thing: number, tries: number) => Error | undefined;

async function run(count: number, answer: Answer, stop: AbortController = new AbortController(), stopAt = Number.POSITIVE_INFINITY) {
  const sent: number[] = [];
  const outcomes = new Map<number, Outcome[]>();
  const waits: (number | undefined)[] = [];
  let [running, most] = [0, 0];
  await runEach(numbers(count), {
    send: async (thing) => {
      sent.push(thing);
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      if (sent.length >= stopAt) stop.abort();
      const failure = answer(thing, sent.filter((one) => one === thing).length);
      if (failure !== undefined) throw failure;
      return done;
    },
    textOf: (error) => (error as Error).message,
    report: (thing, outcome) => outcomes.set(thing, [...(outcomes.get(thing) ?? []), outcome]),
    signal: stop.signal,
    wait: (until) => waits.push(until === undefined ? undefined : Math.round((until.getTime() - Date.now()) / 100) * 100),
  });
  const kinds = numbers(count).map((thing) =>
    outcomes
      .get(thing)
      ?.map(({ kind }) => kind)
      .join(),
  );
  return { sent, outcomes, kinds, waits, most };
}

test('each of many is sent once, two at a time, and one that is refused does not stop the others', async () => {
  const { sent, kinds, most, outcomes } = await run(5, (thing) => (thing === 1 ? refusal(409) : undefined));
  expect(sent).toStrictEqual(numbers(5));
  expect(kinds).toStrictEqual(['done', 'refused', 'done', 'done', 'done']);
  expect(outcomes.get(1)).toStrictEqual([{ kind: 'refused', text: 'answer 409' }]);
  expect(most).toBe(2);
});

test('what was stopped sends nothing more; what is on its way is waited for', async () => {
  const { sent, kinds } = await run(6, () => undefined, new AbortController(), 3);
  expect(sent).toStrictEqual([0, 1, 2]);
  expect(kinds).toStrictEqual(['done', 'done', 'done', 'unsent', 'unsent', 'unsent']);
});

test('a limit for all is waited for as long as the server says, and then the same is sent again', async () => {
  const { sent, kinds, waits } = await run(3, (thing, tries) =>
    thing === 0 && tries === 1 ? refusal(429, { retryAfterSeconds: 1 }) : undefined,
  );
  expect(sent).toStrictEqual([0, 1, 2, 0]);
  expect(kinds).toStrictEqual(['done', 'done', 'done']);
  expect(waits).toStrictEqual([1_000, undefined]);
});

test('a limit of a day ends it, a limit of one address is that one’s outcome', async () => {
  const day = await run(5, () => refusal(429, { retryAfterSeconds: 80_000 }));
  expect(day.sent).toStrictEqual([0, 1]);
  expect(day.kinds).toStrictEqual(['unsent', 'unsent', 'unsent', 'unsent', 'unsent']);
  expect(day.outcomes.get(4)).toStrictEqual([{ kind: 'unsent', text: 'answer 429' }]);
  const address = await run(3, (thing) => (thing === 0 ? refusal(429, { retryAfterSeconds: 5, field: 'email' }) : undefined));
  expect(address.kinds).toStrictEqual(['refused', 'done', 'done']);
});

test('a wait ends when it is stopped', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  const { sent, kinds } = await run(3, () => refusal(429, { retryAfterSeconds: 600 }), stop);
  expect(sent).toStrictEqual([0, 1]);
  expect(kinds).toStrictEqual(['unsent', 'unsent', 'unsent']);
});

test('without a session, or a server, the others are not tried', async () => {
  for (const [status, kind] of [
    [401, 'unsent'],
    [0, 'refused'],
  ] as const) {
    const { sent, kinds } = await run(5, (thing) => (thing === 1 ? refusal(status) : undefined));
    expect([status, sent]).toStrictEqual([status, [0, 1, 2]]);
    expect([status, kinds]).toStrictEqual([status, ['done', kind, 'done', 'unsent', 'unsent']]);
  }
});

test('it stops when another person signs in by another tab, or this one is signed out; not by a new token', () => {
  for (const [next, isStopped] of [
    ['ada', false],
    ['grace', true],
    [undefined, true],
  ] as const) {
    const stop = new AbortController();
    let change = (): void => undefined;
    const session: Parameters<typeof stopForAnother>[0] & { userId: string | undefined } = {
      userId: 'ada',
      subscribe: (listener) => {
        change = () => listener('signed-in');
        return () => true;
      },
    };
    stopForAnother(session, stop);
    session.userId = next;
    change();
    expect([next, stop.signal.aborted]).toStrictEqual([next, isStopped]);
  }
});
