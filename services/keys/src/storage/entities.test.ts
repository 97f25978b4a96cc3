import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../tools/testing/database.ts';
import { schemaDifferences } from '../../../../tools/testing/schema-differences.ts';
import * as entities from './entities.ts';

test('the entities of keys and its migrated database agree', async () => {
  await using database = await createTestDatabase({ migrated: ['keys'] });
  expect(await schemaDifferences(database.urls.keys, 'keys', entities)).toStrictEqual([]);
});
