import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TesseraError } from '@tessera/client';
import { sendPatiently } from './patience.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/** Long enough for every try that there can be. */
async function letTimePass(): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    await turn();
    mock.timers.runAll();
  }
}
const busy = () => new TesseraError('busy', { status: 503, code: 'SIGN_IN_BUSY', retryAfterSeconds: 2 });

test('a sign-in that is refused for the number of sign-ins is sent again by itself, and the person hears when', async () => {
  const waits: (number | undefined)[] = [];
  const failures = [busy(), busy()];
  let sent = 0;
  const send = async () => {
    sent += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const done = sendPatiently(send, (seconds) => waits.push(seconds));
  await letTimePass();
  await done;
  expect(sent).toBe(3);
  expect(waits).toStrictEqual([expect.any(Number), undefined, expect.any(Number), undefined]);
  for (const seconds of waits.filter((one) => one !== undefined)) {
    expect(seconds).toBeGreaterThanOrEqual(2);
    expect(seconds).toBeLessThanOrEqual(4);
  }
});

test('a page that was left sends nothing more, a full queue is not tried for ever, and other failures are told at once', async () => {
  let sent = 0;
  const send = async (failure: Error) => {
    sent += 1;
    throw failure;
  };
  const left = sendPatiently(
    () => send(busy()),
    () => undefined,
    () => true,
  );
  await letTimePass();
  await left;
  expect(sent).toBe(1);
  const tired = expect(
    sendPatiently(
      () => send(busy()),
      () => undefined,
    ),
  ).rejects.toMatchObject({ code: 'SIGN_IN_BUSY' });
  await letTimePass();
  await tired;
  expect(sent).toBe(9);
  await expect(
    sendPatiently(
      () => send(new TesseraError('', { status: 503, code: 'SERVICE_UNAVAILABLE' })),
      () => undefined,
    ),
  ).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});
