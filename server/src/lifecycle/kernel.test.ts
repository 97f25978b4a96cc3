import { expect, test } from '@jest/globals';
import { awaitDatabase } from './kernel.ts';

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
