import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../../test/support/database.ts';
import { schemaDifferences } from '../../../../../test/support/schema-differences.ts';
import * as entities from './index.ts';

test('the entities of identity and its migrated database agree', async () => {
  await using database = await createTestDatabase({ migrated: ['identity'] });
  expect(await schemaDifferences(database.urls.identity, 'identity', entities)).toEqual([]);
});
