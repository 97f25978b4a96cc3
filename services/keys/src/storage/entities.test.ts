import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { schemaDifferences } from '../../../../test/support/schema-differences.ts';
import * as entities from './entities.ts';

test('the entities of keys and its migrated database agree', async () => {
  await using database = await createTestDatabase({ migrated: ['keys'] });
  expect(await schemaDifferences(database.urls.keys, 'keys', entities)).toStrictEqual([]);
});
