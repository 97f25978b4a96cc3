import { expect, test } from '@jest/globals';
import { createDatabase, sql } from '../../kernel/src/postgres/index.ts';
import { createTestDatabase } from './database.ts';
import { countingQueries } from './queries.ts';

test('countingQueries counts queries without BEGIN and COMMIT of one piece of work after another', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { urls } = cleanup.use(await createTestDatabase());
  const opened = createDatabase({ url: urls.rbac, schema: 'rbac', rlsEnabled: true });
  cleanup.defer(() => opened.close());
  const { database, countQueries } = countingQueries(opened);
  const one = sql('SELECT 1');
  const three = () =>
    database.transaction(async (tx) => {
      await tx.query(one);
      await tx.one(one);
      tx.last(one);
    });
  const counts = [await countQueries(three), await countQueries(() => database.query(one))];
  expect(counts.map(({ queries }) => queries)).toStrictEqual([3, 1]);
});
