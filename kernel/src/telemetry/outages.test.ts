import { expect, test } from '@jest/globals';
import { failures } from '../errors/index.ts';
import { createLogger } from './logger.ts';
import { createOutages } from './outages.ts';

test('an outage writes one line a second, which says how many were left out', () => {
  const outages = createOutages();
  const refused = () => failures.unavailable('database', new Error('connect ECONNREFUSED'));
  const written = Array.from({ length: 335 }, (_, request) => ({ request, line: outages.admit(refused(), request * 5) }));
  expect(written.filter(({ line }) => line !== undefined)).toStrictEqual([
    { request: 0, line: { leftOut: 0 } },
    { request: 200, line: { leftOut: 199 } },
  ]);
});

test('what else is down, and each fault of our own, has its own line', () => {
  const outages = createOutages();
  const errors = [failures.unavailable('database'), failures.unavailable('keys'), failures.internal(), failures.internal()];
  expect([...errors, new TypeError('x is not a function'), undefined].map((error) => outages.admit(error, 0))).toStrictEqual(
    Array.from({ length: 6 }, () => ({ leftOut: 0 })),
  );
});

test('requests, jobs and the relay of a process share the line of an outage, also through child loggers', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ service: 'identity', level: 'info', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const full = () => failures.unavailable('database', new Error('timeout exceeded when trying to connect'));
  logger.error({ err: full(), operation: 'getMe' }, 'operation failed');
  logger.error({ err: full() }, 'the relay could not read or settle the outbox');
  logger.error({ err: full(), job: 'sessions' }, 'a scheduled job failed and will be tried again');
  logger.child({ part: 'mail' }).error({ err: new Error('the mail jobs could not be read', { cause: full() }) }, 'no mail');
  logger.warn({ err: full() }, 'the cache does not answer');
  expect(lines.map(({ msg }) => msg)).toStrictEqual(['operation failed']);
  logger.error({ err: failures.internal() }, 'operation failed');
  logger.fatal({ err: full() }, 'could not start');
  logger.info({}, 'ready');
  expect(lines.map(({ msg }) => msg)).toStrictEqual(['operation failed', 'operation failed', 'could not start', 'ready']);
});
