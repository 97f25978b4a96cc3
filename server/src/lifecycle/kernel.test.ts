import { expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { awaitDatabase, tryAtStart } from './kernel.ts';

function databaseAwayFor(attempts: number) {
  const state = { left: attempts };
  return { isHealthy: async () => state.left-- <= 0 };
}

test('a database that starts later than the service is tried again, and each attempt is logged', async () => {
  const warnings: object[] = [];
  const logger = { warn: (details: object) => void warnings.push(details) };
  await awaitDatabase(databaseAwayFor(2), logger, 1);
  expect(warnings).toStrictEqual([
    { attempt: 1, of: 20 },
    { attempt: 2, of: 20 },
  ]);
});

test('a database that stays away ends the start with a clear message', async () => {
  const waiting = awaitDatabase(databaseAwayFor(100), { warn: () => undefined }, 1);
  await expect(waiting).rejects.toThrow('The database did not respond to 20 attempts.');
});

test('a step of the start that did not get a connection in time is tried again, and no other fault is', async () => {
  const warnings: string[] = [];
  const logger = { warn: (_details: object, message: string) => void warnings.push(message) };
  const away = failures.unavailable('database', new Error('Connection terminated due to connection timeout'));
  const failing = (times: number, error: Error) => {
    const state = { left: times };
    return async () => {
      if (state.left-- > 0) throw error;
      return 'done';
    };
  };
  await expect(tryAtStart(logger, failing(2, away), 1)).resolves.toBe('done');
  expect(warnings).toHaveLength(2);
  await expect(tryAtStart(logger, failing(20, away), 1)).rejects.toBe(away);
  const wrongKey = new Error('no encryption key opens this');
  await expect(tryAtStart(logger, failing(1, wrongKey), 1)).rejects.toBe(wrongKey);
});
