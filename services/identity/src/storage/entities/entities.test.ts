import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../../tools/testing/database.ts';
import { schemaDifferences } from '../../../../../tools/testing/schema-differences.ts';
import * as entities from './index.ts';

test('the entities of identity and its migrated database agree', async () => {
  await using database = await createTestDatabase({ migrated: ['identity'] });
  expect(await schemaDifferences(database.urls.identity, 'identity', entities)).toEqual([]);
});
