import { expect, test } from '@jest/globals';
import { failures } from '../errors/index.ts';
import { logFailure } from './outages.ts';

function recordingLogger() {
  const lines: { readonly details: object; readonly message: string }[] = [];
  return { lines, error: (details: object, message: string) => void lines.push({ details, message }) };
}

test('an outage writes one line a second, which says how many were left out', () => {
  const logger = recordingLogger();
  const refused = () => failures.unavailable('database', new Error('connect ECONNREFUSED'));
  for (let request = 0; request < 335; request += 1) logFailure(logger, refused(), { request }, 'operation failed', request * 5);
  expect(logger.lines.map(({ details }) => details)).toStrictEqual([{ request: 0 }, { request: 200, leftOut: 199 }]);
});

test('what else is down, and each fault of our own, has its own line', () => {
  const logger = recordingLogger();
  logFailure(logger, failures.unavailable('database'), {}, 'operation failed', 0);
  logFailure(logger, failures.unavailable('keys'), {}, 'operation failed', 1);
  for (const at of [2, 3]) logFailure(logger, failures.internal(), { at }, 'operation failed', at);
  for (const at of [4, 5]) logFailure(logger, new TypeError('x is not a function'), { at }, 'operation failed', at);
  expect(logger.lines).toHaveLength(6);
});
