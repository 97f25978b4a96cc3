import { afterAll, expect, test } from '@jest/globals';
import { AppError, failures } from '@tessera/kernel/errors';
import Fastify from 'fastify';
import { answerErrors } from './answers.ts';

const app = Fastify();
const logged: object[] = [];
answerErrors(app, { logger: { error: (details) => logged.push(details) }, showStack: false });
app.get('/busy', async () => {
  throw new AppError('busy', 'errors.rateLimitExceeded', { params: { seconds: 7 } });
});
app.get('/away', async () => {
  throw failures.unavailable('keys');
});
afterAll(() => app.close());

test('a full queue of sign-ins is 503 with its own code and the time to come back, and no error in the log', async () => {
  const busy = await app.inject('/busy');
  expect([busy.statusCode, busy.headers['retry-after'], busy.json().code]).toStrictEqual([503, '7', 'SIGN_IN_BUSY']);
  expect(busy.json().translationParams).toStrictEqual({ seconds: 7 });
  const away = await app.inject('/away');
  expect([away.statusCode, away.headers['retry-after'], away.json().code]).toStrictEqual([503, '1', 'SERVICE_UNAVAILABLE']);
  expect(logged).toStrictEqual([]);
});
